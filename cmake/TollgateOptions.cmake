# Compiler options shared by every target of the project.
add_library(tollgate_options INTERFACE)
target_compile_options(tollgate_options INTERFACE -Wall -Wextra -Wno-unused-parameter)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 warns about its own std::string operator+ (GCC bug 105651).
  target_compile_options(tollgate_options INTERFACE -Wno-restrict)
endif()
if(TOLLGATE_WERROR)
  target_compile_options(tollgate_options INTERFACE -Werror)
endif()
if(TOLLGATE_SANITIZE)
  target_compile_options(tollgate_options INTERFACE -fsanitize=${TOLLGATE_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(tollgate_options INTERFACE -fsanitize=${TOLLGATE_SANITIZE})
endif()

if(TOLLGATE_FUZZ) # coverage in the layers themselves
  target_compile_options(tollgate_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

find_program(TOLLGATE_CCACHE ccache)
if(TOLLGATE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TOLLGATE_CCACHE})
endif()
find_program(TOLLGATE_MOLD mold)
if(TOLLGATE_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# tollgate_layer(NAME SOURCES ... DEPENDS ...)
# One static library per folder of src/; DEPENDS lists the folders (or libraries) it may include.
function(tollgate_layer name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(tollgate_${name} STATIC ${ARG_SOURCES})
  target_include_directories(tollgate_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(tollgate_${name} PRIVATE tollgate_options)
  target_link_libraries(tollgate_${name} PUBLIC ${ARG_DEPENDS})
endfunction()

# The one LLVM library of Debian, shared: quick to link, and one copy in memory.
add_library(tollgate_llvm INTERFACE)
