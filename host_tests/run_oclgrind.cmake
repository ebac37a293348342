# Runs one test case of TEST under Oclgrind, and fails if the test does or if Oclgrind has anything
# to say: it exits with 0 whatever it finds.
#   cmake -DOCLGRIND=... -DLOG=<file> -DTEST=<executable> -DCASE=<name> [-DCHECKS=<options>]
#         -P run_oclgrind.cmake
if(NOT CHECKS)
    set(CHECKS --data-races --uninitialized)
endif()
file(REMOVE "${LOG}")
execute_process(
    COMMAND ${OCLGRIND} ${CHECKS} --max-errors 20 --log ${LOG}
            ${TEST} --no-skip "--test-case=${CASE}"
    RESULT_VARIABLE result)
if(NOT result EQUAL 0)
    message(FATAL_ERROR "the test failed under Oclgrind: ${result}")
endif()
if(EXISTS "${LOG}")
    file(READ "${LOG}" findings)
endif()
if(findings)
    message(FATAL_ERROR "Oclgrind found:\n${findings}")
endif()
