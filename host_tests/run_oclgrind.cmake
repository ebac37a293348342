# Runs one test case of TEST under Oclgrind, and fails if the test does or if Oclgrind has anything
# to say: it exits with 0 whatever it finds.
#   cmake -DOCLGRIND=... -DLOG=<file> -DTEST=<executable> -DCASE=<name> [-DCHECKS=--data-races]
#         [-DOPTIONS=--max-wgsize;1] [-DDRIVER=<liboclgrind-rt-icd.so>]
#         -P run_oclgrind.cmake
# With DRIVER, Oclgrind is a driver below OpenCL's loader, so that layers work: it looks for races, and has 64 KiB of
# local memory.
if(NOT DEFINED CHECKS)
    set(CHECKS --data-races --uninitialized)
endif()
file(REMOVE "${LOG}")
if(DEFINED DRIVER)
    file(WRITE "${LOG}.drivers/oclgrind.icd" "${DRIVER}\n")
    set(OCLGRIND ${CMAKE_COMMAND} -E env "OCL_ICD_VENDORS=${LOG}.drivers" OCLGRIND_DATA_RACES=1
        OCLGRIND_LOCAL_MEM_SIZE=65536 OCLGRIND_MAX_ERRORS=1000000 "OCLGRIND_LOG=${LOG}")
    set(settings "")
else()
    set(settings ${CHECKS} ${OPTIONS} --max-errors 1000000 --log ${LOG})
endif()
execute_process(
    COMMAND ${OCLGRIND} ${settings} ${TEST} --no-skip "--test-case=${CASE}"
    RESULT_VARIABLE result)
if(NOT result EQUAL 0)
    message(FATAL_ERROR "the test failed under Oclgrind: ${result}")
endif()
if(NOT EXISTS "${LOG}")
    return()
endif()

# A finding starts at the first column. Two kinds mean nothing: Clang 14 stores a vector that is made
# of scalars as an undefined one first and as its elements after it; and a sum of rows that have
# not come yet is not stored, which would be found too.
file(STRINGS "${LOG}" findings REGEX "^[^ \t]")
file(STRINGS "${LOG}" meaningless REGEX
     "^[ \t]+(store <[24] x (float|i32|i64)> (undef|poison|<[^>]*poison>), |%[a-z0-9.]+ = tail call spir_func float @_Z3fmafff)")
list(LENGTH findings found)
list(LENGTH meaningless excused)
list(FILTER findings EXCLUDE REGEX "^(Uninitialized value written|Controlflow depends on uninit)")
if(findings OR NOT found EQUAL excused)
    file(READ "${LOG}" beginning LIMIT 20000)
    message(FATAL_ERROR "Oclgrind found ${found}, of which ${excused} mean nothing:\n${beginning}")
endif()
file(REMOVE "${LOG}")
