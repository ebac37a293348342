# Writes a C++ file that holds text files as data, in a table of the name given.
#   cmake -DROOT=<directory> -DOUTPUT=<file.cpp> -DTABLE=embedded_sources "-DFILES=a.cl,lib/b.clh"
#         -P embed_sources.cmake
string(REPLACE "," ";" FILES "${FILES}")
set(arrays "")
set(rows "")
set(count 0)
foreach(name IN LISTS FILES)
    file(READ "${ROOT}/${name}" bytes HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(APPEND arrays "constexpr char file_${count}[] = {${bytes}0};\n")
    string(APPEND rows "    {\"${name}\", {file_${count}, sizeof file_${count} - 1}},\n")
    math(EXPR count "${count} + 1")
endforeach()
file(WRITE "${OUTPUT}" "// Made by cmake/embed_sources.cmake.
#include \"device/tuning.hpp\"

namespace gz {

namespace {
${arrays}} // namespace

// A table of no files has a row too, which does not count.
const EmbeddedFile ${TABLE}[] = {
${rows}    {}};
const unsigned ${TABLE}_count = ${count};

} // namespace gz
")
