# Makes the Debian packages, looks at what is in each and what it depends on, and runs the command from where they
# are unpacked; lintian looks too, where it is installed.
#   cmake -DCPACK=<cpack> -DDPKG_DEB=<dpkg-deb> -DBUILD=<build tree> -DVERSION=<of the project>
#         -DSOVERSION=<of the library> -DWORK=<empty directory> -P check_package.cmake
cmake_minimum_required(VERSION 3.25)
set(ENV{GAUZE_CACHE_DIR} off) # the user's own files are left alone
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
execute_process(COMMAND ${CPACK} -G DEB -B ${WORK} --config ${BUILD}/CPackConfig.cmake
                WORKING_DIRECTORY ${BUILD} OUTPUT_VARIABLE log ERROR_VARIABLE log RESULT_VARIABLE result)
if(NOT result EQUAL 0)
    message(FATAL_ERROR "${log}")
endif()
file(GLOB packages "${WORK}/*.deb")
list(LENGTH packages count)
if(NOT count EQUAL 3)
    message(FATAL_ERROR "there are not three packages, but: ${packages}")
endif()

# check(NAME FIELDS FILES...): the package is there, each pattern of FIELDS matches its fields, and it has the
# files, its documentation, and nothing else.
function(check name fields)
    file(GLOB package "${WORK}/${name}_${VERSION}-*.deb")
    if(NOT package)
        message(FATAL_ERROR "there is no package ${name} of version ${VERSION}, but: ${packages}")
    endif()
    execute_process(COMMAND ${DPKG_DEB} -f ${package} OUTPUT_VARIABLE found COMMAND_ERROR_IS_FATAL ANY)
    foreach(field IN ITEMS "Package: ${name}" LISTS fields)
        if(NOT "\n${found}" MATCHES "\n${field}\n")
            message(FATAL_ERROR "${name} has no field ${field}, but:\n${found}")
        endif()
    endforeach()
    execute_process(COMMAND ${DPKG_DEB} -c ${package} OUTPUT_VARIABLE contents COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "[^\n]* [.]/[^\n]*[^/\n]\n" contents "${contents}") # folders aside
    set(files ${ARGN} share/doc/${name}/copyright share/doc/${name}/changelog[.]gz
        share/doc/${name}/changelog[.]Debian[.]gz)
    foreach(file IN LISTS files)
        set(others ${contents})
        list(FILTER others EXCLUDE REGEX " [.]/usr/${file}\n")
        if(others STREQUAL contents)
            message(FATAL_ERROR "${name} lacks ${file}:\n${contents}")
        endif()
        set(contents ${others})
    endforeach()
    if(contents)
        message(FATAL_ERROR "${name} has what it should not have:\n${contents}")
    endif()
    execute_process(COMMAND ${DPKG_DEB} -x ${package} ${WORK}/unpacked COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(library libgauze${SOVERSION})
check(${library} "Depends: [^\n]*ocl-icd-libopencl1[^,\n]* [|] libopencl-1[.]2-1[^\n]*;Recommends: [^\n]*opencl-icd"
    "lib/[^ ]*libgauze[.]so[.]${SOVERSION} -> libgauze[.]so[.]${VERSION}" "lib/[^ ]*libgauze[.]so[.]${VERSION}")
check(libgauze-dev "Depends: ${library} [(]= ${VERSION}-[^ ]*[)]"
    include/gauze/gauze[.]h include/gauze/gauze[.]hpp include/gauze/gauze_fleet[.]hpp
    include/gauze/gauze_tuning[.]h include/gauze/gauze_tuning[.]hpp
    "lib/[^ ]*libgauze[.]so -> libgauze[.]so[.]${SOVERSION}" "lib/[^ ]*pkgconfig/gauze[.]pc"
    "lib/[^ ]*cmake/gauze/gauze[A-Za-z]*[.]cmake" "lib/[^ ]*cmake/gauze/gauzeTargets-[a-z]*[.]cmake")
check(gauze-tools "Depends: [^\n]*${library} [(]>= ${VERSION}[)][^\n]*" bin/gauze share/man/man1/gauze[.]1[.]gz)

file(GLOB package "${WORK}/${library}_*.deb")
execute_process(COMMAND ${DPKG_DEB} -I ${package} shlibs OUTPUT_VARIABLE shlibs COMMAND_ERROR_IS_FATAL ANY)
if(NOT shlibs STREQUAL "libgauze ${SOVERSION} ${library} (>= ${VERSION})\n")
    message(FATAL_ERROR "programs that use the library would depend on: ${shlibs}")
endif()
execute_process(COMMAND ${WORK}/unpacked/usr/bin/gauze devices OUTPUT_QUIET
                COMMAND_ERROR_IS_FATAL ANY)

find_program(LINTIAN lintian)
if(LINTIAN)
    set(options --allow-root --fail-on error,warning)
    if(EXISTS ${WORK}/unpacked/usr/lib/pkgconfig)
        # The prefix that the build tree was configured for is not Debian's.
        list(APPEND options --suppress-tags pkg-config-unavailable-for-cross-compilation)
    endif()
    execute_process(COMMAND ${LINTIAN} ${options} ${packages} RESULT_VARIABLE result
                    OUTPUT_VARIABLE faults ERROR_VARIABLE faults)
    if(NOT result EQUAL 0)
        message(FATAL_ERROR "${faults}")
    endif()
endif()
