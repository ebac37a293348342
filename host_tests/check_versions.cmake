# What states the project's version states the one of CMakeLists.txt.
#   cmake -DROOT=<checkout> -DVERSION=<of the project> -P check_versions.cmake
cmake_minimum_required(VERSION 3.25)
string(REGEX MATCH "^[0-9]+[.][0-9]+" minor "${VERSION}")
string(REPLACE "." ";" parts "${VERSION}")
list(GET parts 0 major_part)
list(GET parts 1 minor_part)
list(GET parts 2 patch_part)

# check(FILE TEXT...): the file has each text, with white space as given.
function(check file)
    file(READ ${ROOT}/${file} content)
    foreach(text IN LISTS ARGN)
        string(FIND "${content}" "${text}" place)
        if(place EQUAL -1)
            message(SEND_ERROR "${file} does not say: ${text}")
        endif()
    endforeach()
endfunction()
check(runtime/include/gauze/gauze.h "#define GAUZE_VERSION_MAJOR ${major_part} " "#define GAUZE_VERSION_MINOR ${minor_part} "
    "#define GAUZE_VERSION_PATCH ${patch_part} ")
check(pyproject.toml "\nversion = \"${VERSION}\"\n")
check(CHANGELOG.md "\n## ${VERSION}")
check(CITATION.cff "\nversion: ${VERSION}\n")
check(SECURITY.md "\n| ${minor} | yes |\n")
check(host_tests/consumer/CMakeLists.txt "find_package(gauze ${minor} ")
check(tools/packaging/vcpkg/gauze/vcpkg.json "\n  \"version\": \"${VERSION}\",\n")
check(tools/packaging/conda/meta.yaml "{% set version = \"${VERSION}\" %}\n")
