# The shared library exports the functions that the public headers declare and nothing else; in an ELF file each with
# the version that is named like the soname.
#   cmake -DNM=<nm> -DLIBRARY=<libgauze.so> -DSOVERSION=<of the library> -DHEADERS=<their folder>
#         -P check_exports.cmake
#   cmake -DOBJDUMP=<objdump> -DLIBRARY=<gauze.dll> -DHEADERS=<their folder> -P check_exports.cmake
if(OBJDUMP)
    set(version "")
    execute_process(COMMAND ${OBJDUMP} -p ${LIBRARY} OUTPUT_VARIABLE table COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX REPLACE ".*\\[Ordinal/Name Pointer\\] Table\n" "" table "${table}")
    string(REGEX MATCHALL "\t\\[ *[0-9]+\\] [^\n]+" exported "${table}")
    list(TRANSFORM exported REPLACE ".*\\] " "")
else()
    set(version "@@GAUZE_${SOVERSION}")
    execute_process(COMMAND ${NM} -D --defined-only ${LIBRARY} OUTPUT_VARIABLE table COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "[0-9a-f]+ [A-Za-z] [^\n]+" exported "${table}")
    list(TRANSFORM exported REPLACE "^[0-9a-f]+ [A-Za-z] " "")
    list(REMOVE_ITEM exported "GAUZE_${SOVERSION}") # the version itself
endif()

file(GLOB headers "${HEADERS}/*.h")
set(declared "")
foreach(header IN LISTS headers)
    file(READ "${header}" text)
    string(REGEX MATCHALL "\nGAUZE_API [^(]+\\(" functions "${text}")
    list(APPEND declared ${functions})
endforeach()
list(TRANSFORM declared REPLACE ".*[ *]([a-z0-9_]+)\\($" "\\1${version}")

list(LENGTH declared count)
list(SORT exported)
list(SORT declared)
if(count LESS 30 OR NOT exported STREQUAL declared)
    message(FATAL_ERROR "exported: ${exported}\ndeclared: ${declared}")
endif()
