# Fails where plans take other kernels on a GPU that is not here than a file says, and writes what they take.
#   cmake -DPROGRAM=list_choices -DEXPECTED=<file> -DFOUND=<file> -P check_choices.cmake
# Where the choices changed on purpose, copy FOUND over EXPECTED.
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND ${PROGRAM} OUTPUT_FILE ${FOUND} RESULT_VARIABLE status)
if(NOT status EQUAL 0)
    message(FATAL_ERROR "${PROGRAM} returned ${status}: see ${FOUND}")
endif()
execute_process(COMMAND diff ${EXPECTED} ${FOUND} RESULT_VARIABLE differs)
if(differs)
    message(FATAL_ERROR "plans take other kernels: if that is wanted, copy ${FOUND} to ${EXPECTED}")
endif()
