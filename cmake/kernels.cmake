# The kernels of the families, from the one list of each: runtime/families/<family>/kernels.cpp.

# gauze_kernels(FAMILY RESULT): names of the family's kernels.
function(gauze_kernels family result)
    set(list ${PROJECT_SOURCE_DIR}/runtime/families/${family}/kernels.cpp)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
    file(READ ${list} source)
    string(REGEX MATCH "kernels{[^}]*}" source "${source}")
    string(REGEX MATCHALL "[a-z0-9_]+\\(\\)" kernels "${source}")
    list(TRANSFORM kernels REPLACE "\\(\\)" "")
    if(NOT kernels)
        message(FATAL_ERROR "${list} lists no kernel")
    endif()
    set(${result} ${kernels} PARENT_SCOPE)
endfunction()

file(GLOB GAUZE_FAMILIES RELATIVE ${PROJECT_SOURCE_DIR}/runtime/families CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/runtime/families/*/kernels.cpp)
list(TRANSFORM GAUZE_FAMILIES REPLACE "/kernels.cpp" "")
