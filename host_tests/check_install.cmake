# Installs the build into an empty prefix, moves it, and builds and runs programs of somebody else's
# against it: by find_package, and by pkg-config where there is one.
#   cmake -DBUILD=<build tree> -DSOURCE=<consumer> -DWORK=<empty directory> -DCC=<compiler>
#         -DCXX=<compiler> [-DFLAGS=<of the compilers>] -P check_install.cmake
function(run)
    execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output
                    ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
        list(JOIN ARGV " " command)
        message(FATAL_ERROR "${command}\n${result}\n${output}")
    endif()
endfunction()

set(ENV{GAUZE_CACHE_DIR} off) # the user's own files are left alone
file(REMOVE_RECURSE "${WORK}")
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/built)
file(RENAME "${WORK}/built" "${WORK}/moved")

if(EXISTS "${WORK}/moved/bin/gauze")
    run(${WORK}/moved/bin/gauze devices)
endif()

run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/consumer -DCMAKE_PREFIX_PATH=${WORK}/moved
    -DCMAKE_C_COMPILER=${CC} -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_C_FLAGS=${FLAGS}
    -DCMAKE_CXX_FLAGS=${FLAGS})
run(${CMAKE_COMMAND} --build ${WORK}/consumer)
run(${WORK}/consumer/consumer_c)
run(${WORK}/consumer/consumer_cpp)

find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG)
    file(GLOB_RECURSE pc "${WORK}/moved/*/gauze.pc")
    cmake_path(GET pc PARENT_PATH directory)
    set(ENV{PKG_CONFIG_PATH} "${directory}")
    execute_process(COMMAND ${PKG_CONFIG} --cflags --libs gauze OUTPUT_VARIABLE flags
                    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(flags UNIX_COMMAND "${flags}")
    cmake_path(GET directory PARENT_PATH libraries)
    run(${CC} -std=c11 ${FLAGS} ${SOURCE}/blur.c -o ${WORK}/by_pkg_config ${flags} -Wl,-rpath,${libraries})
    run(${WORK}/by_pkg_config)
endif()
