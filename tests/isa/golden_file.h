// What a real GPU answered, as record_goldens.sh left it in goldens/.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tollgate::test {

using Goldens = std::map<std::string, std::vector<uint64_t>>; // by case

// goldens/<name>.txt names the cases ("hash, number of words, case", in the order of the words);
// goldens/<name>.bin.zst holds the words. Each list of answers is checked against its hash.
Goldens read_goldens(const std::string& name);

} // namespace tollgate::test
