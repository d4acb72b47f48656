// Programs include this name; all of it is in cuda_runtime.h.
#pragma once
#include "cuda_runtime.h"
