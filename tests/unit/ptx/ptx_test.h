// Helpers of the ptx tests: short kernels as strings, data files, and look-ups that fail the test with the parser's
// error.
#pragma once

#include "ptx/inst_table.h"
#include "ptx/parser.h"
#include "ptx/printer.h"

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <string>

namespace tollgate::ptx {

using ModulePtr = std::shared_ptr<const Module>;

inline ModulePtr parse_ok(const std::string& text) {
  auto module = parse_module(text, "test.ptx");
  if (module) return *module;
  ADD_FAILURE() << module.error().to_string();
  return std::make_shared<Module>();
}

inline Error parse_error(const std::string& text) {
  auto module = parse_module(text, "test.ptx");
  if (!module) return module.error();
  ADD_FAILURE() << "parsed, though it should not:\n" << text;
  return {};
}

inline const std::string header = ".version 8.5\n.target sm_90\n.address_size 64\n";

inline std::string with_header(std::string_view text) { return std::string(header).append(text); }

// A kernel with registers of every kind around `body`; the body starts on line 6.
inline std::string kernel(const std::string& body) {
  std::string text = header;
  text.append(".entry k(.param .b64 a) { .reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<16>; .reg .b64 %d<16>; .reg "
              ".b128 %q<4>;\n"
              ".reg .f32 %f<8>; .reg .f64 %fd<8>;\n");
  return text.append(body).append("\nret; }\n");
}

// The first instruction of that kernel.
inline Instruction one(const std::string& statement) {
  const ModulePtr module = parse_ok(kernel(statement));
  if (module->functions.empty()) return {};
  return module->functions[0].instructions.at(0);
}

inline std::string data_file(const std::string& name) {
  std::ifstream file(std::string(TOLLGATE_PTX_TEST_DATA) + "/" + name);
  EXPECT_TRUE(file) << name;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

} // namespace tollgate::ptx
