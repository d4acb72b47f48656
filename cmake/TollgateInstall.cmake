# What `cmake --install` puts in place. The tool looks for its runtime in ../lib/tollgate and for its CUDA headers in
# ../include/tollgate/cuda, seen from its own folder (src/cli/paths.cpp), so an installed tree may be moved as a whole.
include(CMakePackageConfigHelpers)

set(runtime_folder lib/tollgate)
set(package_folder lib/cmake/tollgate)

install(TARGETS tollgate RUNTIME DESTINATION bin)
# Build systems want a compiler in one word: CUDACXX=tollgate-nvcc.
install(CODE "execute_process(COMMAND \${CMAKE_COMMAND} -E create_symlink tollgate
  \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/bin/tollgate-nvcc\" COMMAND_ERROR_IS_FATAL ANY)")

install(TARGETS tollgate_cudart12 tollgate_cudart13 LIBRARY DESTINATION ${runtime_folder})
install(CODE "execute_process(COMMAND \${CMAKE_COMMAND} -E create_symlink libcudart.so.13
  \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${runtime_folder}/libcudart.so\" COMMAND_ERROR_IS_FATAL ANY)")

# Headers for compiling .cu files without a CUDA toolkit.
install(DIRECTORY include/tollgate/cuda DESTINATION include/tollgate)
install(DIRECTORY device/include/tollgate/ DESTINATION include/tollgate) # the CUDA device library

install(FILES README.md LICENSE DESTINATION share/doc/tollgate)
install(DIRECTORY docs examples DESTINATION share/doc/tollgate PATTERN Doxyfile.in EXCLUDE)

configure_package_config_file(cmake/tollgateConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/tollgateConfig.cmake
  INSTALL_DESTINATION ${package_folder} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/tollgateConfigVersion.cmake COMPATIBILITY SameMinorVersion
                                 ARCH_INDEPENDENT)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tollgateConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/tollgateConfigVersion.cmake
  DESTINATION ${package_folder})
