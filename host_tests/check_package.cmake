# Makes the Debian package, looks at what is in it, and runs its command from where it is unpacked.
#   cmake -DCPACK=<cpack> -DDPKG_DEB=<dpkg-deb> -DBUILD=<build tree> -DVERSION=<of the project>
#         -DWORK=<empty directory> -P check_package.cmake
set(ENV{GAUZE_CACHE_DIR} off) # the user's own files are left alone
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
execute_process(COMMAND ${CPACK} -G DEB -B ${WORK} --config ${BUILD}/CPackConfig.cmake
                WORKING_DIRECTORY ${BUILD} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(GLOB package "${WORK}/gauze_${VERSION}_*.deb")
list(LENGTH package count)
if(NOT count EQUAL 1)
    message(FATAL_ERROR "there is not one package of version ${VERSION}, but: ${package}")
endif()

execute_process(COMMAND ${DPKG_DEB} -c ${package} OUTPUT_VARIABLE contents
                COMMAND_ERROR_IS_FATAL ANY)
foreach(file bin/gauze include/gauze/gauze[.]h include/gauze/gauze[.]hpp
        include/gauze/gauze_fleet[.]hpp include/gauze/gauze_tuning[.]h include/gauze/gauze_tuning[.]hpp
        "lib/[^ ]*libgauze[.]so -> libgauze[.]so[.]0" "lib/[^ ]*libgauze[.]so[.]0 -> [^ ]*${VERSION}"
        "lib/[^ ]*libgauze[.]so[.]${VERSION}" "lib/[^ ]*cmake/gauze/gauzeConfig[.]cmake"
        "lib/[^ ]*pkgconfig/gauze[.]pc" share/doc/gauze/copyright)
    if(NOT contents MATCHES " [.]/usr/${file}\n")
        message(FATAL_ERROR "the package lacks ${file}:\n${contents}")
    endif()
endforeach()
if(contents MATCHES "host_tests|test_")
    message(FATAL_ERROR "tests are in the package:\n${contents}")
endif()

execute_process(COMMAND ${DPKG_DEB} -f ${package} Package Version Architecture Description
                OUTPUT_VARIABLE fields COMMAND_ERROR_IS_FATAL ANY)
if(NOT fields MATCHES "Package: gauze\n.*Version: ${VERSION}\n.*filtering")
    message(FATAL_ERROR "the package says of itself:\n${fields}")
endif()

execute_process(COMMAND ${DPKG_DEB} -x ${package} ${WORK}/unpacked COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${WORK}/unpacked/usr/bin/gauze devices OUTPUT_QUIET
                COMMAND_ERROR_IS_FATAL ANY)
