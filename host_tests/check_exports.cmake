# The shared library exports the functions that gauze.h declares, and nothing else.
#   cmake -DNM=<nm> -DLIBRARY=<libgauze.so> -DHEADER=<gauze.h> -P check_exports.cmake
execute_process(COMMAND ${NM} -D --defined-only ${LIBRARY} OUTPUT_VARIABLE table
                COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[0-9a-f]+ [A-Za-z] [^\n]+" lines "${table}")
set(exported "")
foreach(line IN LISTS lines)
    string(REGEX REPLACE "^[0-9a-f]+ [A-Za-z] " "" name "${line}")
    list(APPEND exported "${name}")
endforeach()

file(READ "${HEADER}" header)
string(REGEX MATCHALL "\nGAUZE_API [^(]+\\(" declarations "${header}")
set(declared "")
foreach(declaration IN LISTS declarations)
    string(REGEX REPLACE ".*[ *]([a-z0-9_]+)\\($" "\\1" name "${declaration}")
    list(APPEND declared "${name}")
endforeach()

list(LENGTH declared count)
list(SORT exported)
list(SORT declared)
if(count LESS 30 OR NOT exported STREQUAL declared)
    message(FATAL_ERROR "exported: ${exported}\ndeclared: ${declared}")
endif()
