# CPack runs this once the files of each package are laid out in a folder of its component's name. It adds what
# Debian's policy wants besides, and says what the packages depend on: CPack's own way to find that out would add
# scripts that call ldconfig, for which Debian has a trigger.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
    return()
endif()
set(recipe ${CPACK_GAUZE_SOURCE_DIR}/tools/packaging/debian)
set(work ${CPACK_TOPLEVEL_DIRECTORY}/debian)
set(version ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
set(library ${CPACK_DEBIAN_LIBRARY_PACKAGE_NAME})
find_program(GAUZE_GZIP gzip REQUIRED)
find_program(GAUZE_SHLIBDEPS dpkg-shlibdeps)

# compress(FILE TARGET): without a name or a time in it.
function(compress file target)
    execute_process(COMMAND ${GAUZE_GZIP} -9nc ${file} OUTPUT_FILE ${target} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC) # SOURCE_DATE_EPOCH where it is set
configure_file(${recipe}/changelog.in ${work}/changelog @ONLY)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
    string(TOUPPER ${component} upper)
    set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
    set(root ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr)
    set(documents ${root}/share/doc/${package})
    file(MAKE_DIRECTORY ${documents})
    configure_file(${recipe}/copyright ${documents}/copyright COPYONLY)
    compress(${work}/changelog ${documents}/changelog.Debian.gz)
    compress(${CPACK_GAUZE_SOURCE_DIR}/CHANGELOG.md ${documents}/changelog.gz)
    file(GLOB pages ${root}/share/man/man1/*.1)
    foreach(page IN LISTS pages)
        compress(${page} ${page}.gz)
        file(REMOVE ${page})
    endforeach()
    # Whatever the umask is.
    file(CHMOD_RECURSE ${root}/share FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
    file(GLOB_RECURSE folders LIST_DIRECTORIES true ${root}/*)
    list(PREPEND folders ${root})
    foreach(folder IN LISTS folders)
        if(IS_DIRECTORY ${folder})
            file(CHMOD ${folder} PERMISSIONS
                OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
        endif()
    endforeach()
endforeach()

# Programs need a library at least as new as the one they were linked with.
file(WRITE ${work}/shlibs "libgauze ${CPACK_GAUZE_SOVERSION} ${library} (>= ${CPACK_PACKAGE_VERSION})\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${work}/shlibs ${recipe}/triggers)

# depends(RESULT FILE FALLBACK): what the packages are from which the libraries come that the file is linked with.
# On other systems than Debian it is the fallback.
function(depends result file fallback)
    set(${result} "${fallback}" PARENT_SCOPE)
    if(NOT GAUZE_SHLIBDEPS)
        return()
    endif()
    file(WRITE ${work}/debian/control "") # which dpkg-shlibdeps looks for
    cmake_path(GET shared PARENT_PATH folder)
    # It warns that CPack does not lay packages out as debhelper does.
    execute_process(COMMAND ${GAUZE_SHLIBDEPS} -O -L${work}/shlibs -l${folder} ${file} WORKING_DIRECTORY ${work}
                    OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_VARIABLE log RESULT_VARIABLE status)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "${log}")
    endif()
    string(REGEX REPLACE "^shlibs:Depends=" "" found "${found}")
    set(${result} "${found}" PARENT_SCOPE)
endfunction()
file(GLOB_RECURSE shared ${CPACK_TEMPORARY_DIRECTORY}/library/libgauze.so.${CPACK_PACKAGE_VERSION})
depends(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS ${shared} "ocl-icd-libopencl1 | libopencl-1.2-1")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${library} (= ${version})")
depends(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS ${CPACK_TEMPORARY_DIRECTORY}/tools/usr/bin/gauze
    "${library} (>= ${CPACK_PACKAGE_VERSION}), libpng16-16")
