# `cpack` in the build tree makes Debian packages: the library, what building against it takes, and the command.
# With -DCMAKE_INSTALL_PREFIX=/usr libraries go where Debian has those of the architecture.
get_target_property(soversion gauze SOVERSION)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME gauze)
set(CPACK_PACKAGE_VENDOR "Gauze")
set(CPACK_PACKAGE_CONTACT "The Gauze maintainers <maintainers@gauze.invalid>")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL library development tools)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SOURCE gauze)
# Below -1, which a distribution's own first package has.
set(CPACK_DEBIAN_PACKAGE_RELEASE 0gauze1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# Lays out what Debian wants besides, and finds out what the packages depend on.
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/tools/packaging/debian/complete.cmake)
set(CPACK_GAUZE_SOURCE_DIR ${PROJECT_SOURCE_DIR})
set(CPACK_GAUZE_SOVERSION ${soversion})

# Each description has a summary of its own in its first line.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(about "Gauze filters images, volumes and signals on any OpenCL 1.2 device: a GPU, or
the CPU through a driver such as PoCL. It computes correlations, Gaussians,
boxes, ranks, morphology, recursive filters and more.
")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libgauze${soversion})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "image and signal filtering on any OpenCL device - library
${about}
This package has the shared library.")
# The library is of no use without a driver, but any will do.
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS "pocl-opencl-icd | opencl-icd")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libgauze-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "image and signal filtering on any OpenCL device - headers
${about}
This package has the headers for C and C++, and the files by which CMake and
pkg-config find the library.")
set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME gauze-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_TOOLS_DESCRIPTION "image and signal filtering on any OpenCL device - command
${about}
This package has the command gauze, which filters PNG and NumPy files.")
include(CPack)
