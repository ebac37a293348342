# The target `docs`: the reference of the headers in docs/html of the build tree, where Doxygen is found. Not a
# part of `all`. A warning of Doxygen's, such as of a member without a comment, fails it.
find_package(Doxygen QUIET)
if(NOT DOXYGEN_FOUND)
    return()
endif()
configure_file(${PROJECT_SOURCE_DIR}/docs/Doxyfile.in ${PROJECT_BINARY_DIR}/docs/Doxyfile @ONLY)
add_custom_target(docs
    COMMAND Doxygen::doxygen ${PROJECT_BINARY_DIR}/docs/Doxyfile
    COMMENT "Making the reference: ${PROJECT_BINARY_DIR}/docs/html/index.html"
    VERBATIM)
