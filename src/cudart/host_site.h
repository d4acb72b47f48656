// Where the user's program called the runtime: "a.cu:12" where it has debug information, else "program+0x123".
#pragma once

#include "observe/finding.h"

#include <string>

namespace tollgate::cudart {

// Module and offset of the call; costs little.
std::string host_offset(const void* caller);

// In a check the source line, if there is one; looked up once for each call. Otherwise the offset.
std::string host_site(const void* caller);

// The innermost call on this thread's stack that is the user's own: `caller` itself, unless it lies in a header of the
// toolkit, as with cudaMalloc<T>. To be asked while the call is going on.
const void* user_caller(const void* caller);

// The return address behind this one on the stack, or null.
const void* next_caller(const void* caller);

// The place of a call for a finding, with its line where there is one.
void set_host_place(observe::Side& side, const void* caller);

} // namespace tollgate::cudart
