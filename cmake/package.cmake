# `cpack -G DEB` in the build tree makes a Debian package of all that is installed: the library, its headers
# and the command. What it depends on is read from what it links, where dpkg-shlibdeps is found.
set(CPACK_PACKAGE_NAME gauze)
set(CPACK_PACKAGE_VENDOR "Gauze")
set(CPACK_PACKAGE_CONTACT "The Gauze maintainers <maintainers@gauze.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
find_program(GAUZE_SHLIBDEPS dpkg-shlibdeps)
mark_as_advanced(GAUZE_SHLIBDEPS)
if(GAUZE_SHLIBDEPS)
    set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()
# The library is of no use without a driver, but any will do.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "pocl-opencl-icd | opencl-icd")
include(CPack)
