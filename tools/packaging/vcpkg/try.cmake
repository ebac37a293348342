# Runs the port without vcpkg: functions that do what vcpkg documents of those that the port calls, for the triplet
# x64-linux, whose libraries are static. It is no proof that vcpkg itself takes the port.
#   cmake -DWORK=<empty directory> [-DBUILD_OPTIONS=<of CMake>] -P try.cmake
cmake_minimum_required(VERSION 3.25)
set(PORT gauze)
set(port_folder ${CMAKE_CURRENT_LIST_DIR}/${PORT})
set(CURRENT_PACKAGES_DIR ${WORK}/packages)
set(configurations Release Debug)
set(folder_Release "")
set(folder_Debug /debug)

file(READ ${port_folder}/vcpkg.json manifest)
string(JSON name GET "${manifest}" name)
if(NOT name STREQUAL PORT)
    message(FATAL_ERROR "vcpkg.json names the port ${name}")
endif()
set(known_fields name version port-version description homepage license supports dependencies default-features features)
string(JSON count LENGTH "${manifest}")
math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
    string(JSON field MEMBER "${manifest}" ${i})
    if(NOT field IN_LIST known_fields)
        message(FATAL_ERROR "vcpkg.json has the field ${field}")
    endif()
endforeach()
set(FEATURES core)
string(JSON count LENGTH "${manifest}" features)
math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
    string(JSON feature MEMBER "${manifest}" features ${i})
    list(APPEND FEATURES ${feature})
endforeach()

function(run)
    execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
endfunction()

function(vcpkg_check_features)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "OUT_FEATURE_OPTIONS" "FEATURES")
    set(options "")
    while(arg_FEATURES)
        list(POP_FRONT arg_FEATURES feature option)
        if(feature IN_LIST FEATURES)
            list(APPEND options -D${option}=ON)
        else()
            list(APPEND options -D${option}=OFF)
        endif()
    endwhile()
    set(${arg_OUT_FEATURE_OPTIONS} ${options} PARENT_SCOPE)
endfunction()

function(vcpkg_cmake_configure)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
    foreach(configuration IN LISTS configurations)
        run(${CMAKE_COMMAND} -S ${arg_SOURCE_PATH} -B ${WORK}/build-${configuration} ${arg_OPTIONS} ${BUILD_OPTIONS}
            -DCMAKE_BUILD_TYPE=${configuration} -DBUILD_SHARED_LIBS=OFF -DCMAKE_INSTALL_LIBDIR=lib
            -DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR}${folder_${configuration}})
    endforeach()
endfunction()

function(vcpkg_cmake_install)
    foreach(configuration IN LISTS configurations)
        run(${CMAKE_COMMAND} --build ${WORK}/build-${configuration} --parallel 2)
        run(${CMAKE_COMMAND} --install ${WORK}/build-${configuration})
    endforeach()
endfunction()

# The real one also changes where the files say that the prefix is.
function(vcpkg_cmake_config_fixup)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "CONFIG_PATH" "")
    file(GLOB files ${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/*.cmake
        ${CURRENT_PACKAGES_DIR}/debug/${arg_CONFIG_PATH}/*-debug.cmake)
    file(COPY ${files} DESTINATION ${CURRENT_PACKAGES_DIR}/share/${PORT})
    cmake_path(GET arg_CONFIG_PATH PARENT_PATH parent)
    file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/${parent} ${CURRENT_PACKAGES_DIR}/debug/${parent})
endfunction()

function(vcpkg_fixup_pkgconfig)
    foreach(configuration IN LISTS configurations)
        if(NOT EXISTS ${CURRENT_PACKAGES_DIR}${folder_${configuration}}/lib/pkgconfig/${PORT}.pc)
            message(FATAL_ERROR "there is no ${PORT}.pc of ${configuration}")
        endif()
    endforeach()
endfunction()

function(vcpkg_copy_tools)
    cmake_parse_arguments(PARSE_ARGV 0 arg "AUTO_CLEAN" "" "TOOL_NAMES")
    foreach(tool IN LISTS arg_TOOL_NAMES)
        file(COPY ${CURRENT_PACKAGES_DIR}/bin/${tool} DESTINATION ${CURRENT_PACKAGES_DIR}/tools/${PORT})
        file(REMOVE ${CURRENT_PACKAGES_DIR}/bin/${tool} ${CURRENT_PACKAGES_DIR}/debug/bin/${tool})
    endforeach()
    foreach(folder bin debug/bin)
        file(GLOB left ${CURRENT_PACKAGES_DIR}/${folder}/*)
        if(NOT left)
            file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/${folder})
        endif()
    endforeach()
endfunction()

function(vcpkg_install_copyright)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FILE_LIST")
    file(INSTALL ${arg_FILE_LIST} DESTINATION ${CURRENT_PACKAGES_DIR}/share/${PORT} RENAME copyright)
endfunction()

file(REMOVE_RECURSE ${WORK})
include(${port_folder}/portfile.cmake)

file(GLOB_RECURSE files RELATIVE ${CURRENT_PACKAGES_DIR} ${CURRENT_PACKAGES_DIR}/*)
set(expected
    debug/lib/libgauze.a debug/lib/pkgconfig/gauze.pc
    include/gauze/gauze.h include/gauze/gauze.hpp include/gauze/gauze_fleet.hpp include/gauze/gauze_tuning.h
    include/gauze/gauze_tuning.hpp
    lib/libgauze.a lib/pkgconfig/gauze.pc
    share/gauze/copyright share/gauze/gauzeConfig.cmake share/gauze/gauzeConfigVersion.cmake
    share/gauze/gauzeTargets-debug.cmake share/gauze/gauzeTargets-release.cmake share/gauze/gauzeTargets.cmake
    share/gauze/usage tools/gauze/gauze)
if(NOT files STREQUAL expected)
    message(FATAL_ERROR "the port installs: ${files}\nand not: ${expected}")
endif()
run(${CURRENT_PACKAGES_DIR}/tools/gauze/gauze devices)
message(STATUS "the port installs what it should")
