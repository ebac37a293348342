# The same sources give the same bytes, wherever the checkout and the build folder are. Debuggers that are started in
# the checkout find the sources by the relative paths.
include(CheckCXXCompilerFlag)
check_cxx_compiler_flag(-ffile-prefix-map=from=to GAUZE_HAS_FILE_PREFIX_MAP)
if(GAUZE_HAS_FILE_PREFIX_MAP)
    # The build folder may lie in the checkout: compilers take the last option that fits.
    add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}=. -ffile-prefix-map=${PROJECT_BINARY_DIR}=./build)
endif()
# Installing overwrites the path of libraries in the build folder, but an absolute one leaves its length behind.
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
