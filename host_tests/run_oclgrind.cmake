# Runs one test case of TEST under Oclgrind, and fails if the test does or if Oclgrind has anything
# to say: it exits with 0 whatever it finds.
#   cmake -DOCLGRIND=... -DLOG=<file> -DTEST=<executable> -DCASE=<name> -P run_oclgrind.cmake
file(REMOVE "${LOG}")
execute_process(
    COMMAND ${OCLGRIND} --data-races --uninitialized --max-errors 20 --log ${LOG}
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
