# The target api_docs: HTML of the public headers (docs/Doxyfile.in) in docs/api of the build folder. A warning fails it.
find_package(Doxygen 1.9 QUIET)
if(NOT DOXYGEN_FOUND)
  message(STATUS "doxygen was not found: there is no target api_docs")
  return()
endif()
configure_file(docs/Doxyfile.in ${PROJECT_BINARY_DIR}/docs/Doxyfile @ONLY)
add_custom_target(api_docs COMMAND ${DOXYGEN_EXECUTABLE} ${PROJECT_BINARY_DIR}/docs/Doxyfile
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} COMMENT "doxygen: ${PROJECT_BINARY_DIR}/docs/api" VERBATIM)
