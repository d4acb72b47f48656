// How an access of a warp comes to the observers: called by generated code before each load, store and atomic of a
// watched launch.
#pragma once

#include "observe/observer.h"
#include "simd/lane_language.h"
#include "simd/warp_context.h"

namespace tollgate::exec {

// `device`: one address for each lane. `values`: what is to be stored, desc.element_bytes each; may be null.
void observe_access(simd::WarpContext* w, uint32_t lanes, const uint64_t* device, simd::AccessDesc desc, uint32_t site,
                    const void* values);

} // namespace tollgate::exec
