# The shared library exports the functions that the public headers declare and nothing else; in an ELF file each with
# the version that is named like the soname. It calls no function that came after OpenCL 1.2, where the loader's symbols
# say with which version they came: drivers of OpenCL 3.0 need not have the functions between.
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
    execute_process(COMMAND ${NM} -D --undefined-only ${LIBRARY} OUTPUT_VARIABLE called COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "cl[A-Za-z]+@OPENCL_[0-9.]+" called "${called}")
    list(FILTER called EXCLUDE REGEX "@OPENCL_1[.][0-2]$")
    if(called)
        message(FATAL_ERROR "functions that OpenCL 1.2 does not have are called: ${called}")
    endif()
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
