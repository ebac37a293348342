# The kernels of the families, from the one list of each: runtime/families/<family>/kernels.cpp.

# gauze_kernels(FAMILY RESULT): names of the family's kernels.
function(gauze_kernels family result)
    set(list ${PROJECT_SOURCE_DIR}/runtime/families/${family}/kernels.cpp)
    if(NOT CMAKE_SCRIPT_MODE_FILE)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
    endif()
    file(READ ${list} source)
    string(REGEX MATCH "kernels{[^}]*}" source "${source}")
    string(REGEX MATCHALL "[a-z0-9_]+\\(\\)" kernels "${source}")
    list(TRANSFORM kernels REPLACE "\\(\\)" "")
    if(NOT kernels)
        message(FATAL_ERROR "${list} lists no kernel")
    endif()
    set(${result} ${kernels} PARENT_SCOPE)
endfunction()

# Families that have kernels. Scripts have no configuration that a new one could start again.
set(watched CONFIGURE_DEPENDS)
if(CMAKE_SCRIPT_MODE_FILE)
    set(watched)
endif()
file(GLOB GAUZE_FAMILIES RELATIVE ${PROJECT_SOURCE_DIR}/runtime/families ${watched}
     ${PROJECT_SOURCE_DIR}/runtime/families/*/kernels.cpp)
list(TRANSFORM GAUZE_FAMILIES REPLACE "/kernels.cpp" "")
