# What `cmake --install` installs besides the command: the library, its headers, and what
# find_package(gauze) and pkg-config need. The prefix may be moved afterwards. Packages are made of components:
# `library` is what programs need to run, `development` what building them takes, `tools` the command.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS gauze EXPORT gauzeTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT library
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/runtime/include/gauze
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)

set(GAUZE_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/gauze)
install(EXPORT gauzeTargets NAMESPACE gauze:: DESTINATION ${GAUZE_CMAKE_DIR} COMPONENT development)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/gauzeConfig.cmake.in
    ${PROJECT_BINARY_DIR}/gauzeConfig.cmake
    INSTALL_DESTINATION ${GAUZE_CMAKE_DIR}
    NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/gauzeConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/gauzeConfig.cmake ${PROJECT_BINARY_DIR}/gauzeConfigVersion.cmake
    DESTINATION ${GAUZE_CMAKE_DIR} COMPONENT development)

# From lib/pkgconfig up to the prefix.
string(REGEX REPLACE "[^/]+" ".." GAUZE_PC_PREFIX "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
# There is no other library that --static could ask for, so that a static one needs no such option.
set(GAUZE_PC_CFLAGS "")
set(GAUZE_PC_LIBS "")
if(NOT BUILD_SHARED_LIBS)
    set(GAUZE_PC_CFLAGS " -DGAUZE_STATIC")
    set(GAUZE_PC_LIBS " -lOpenCL -pthread")
    foreach(library IN LISTS CMAKE_CXX_IMPLICIT_LINK_LIBRARIES)
        if(library MATCHES "^(stdc\\+\\+|c\\+\\+|m)$")
            string(APPEND GAUZE_PC_LIBS " -l${library}")
        endif()
    endforeach()
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/gauze.pc.in ${PROJECT_BINARY_DIR}/gauze.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/gauze.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT licence RENAME copyright)
