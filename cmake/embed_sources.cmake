# Writes a C++ file that holds the kernel sources as data.
#   cmake -DROOT=<cl directory> -DOUTPUT=<file.cpp> "-DFILES=a.cl,lib/b.clh" -P embed_sources.cmake
string(REPLACE "," ";" FILES "${FILES}")
set(arrays "")
set(rows "")
set(count 0)
foreach(name IN LISTS FILES)
    file(READ "${ROOT}/${name}" bytes HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(APPEND arrays "constexpr char source_${count}[] = {${bytes}0};\n")
    string(APPEND rows "    {\"${name}\", {source_${count}, sizeof source_${count} - 1}},\n")
    math(EXPR count "${count} + 1")
endforeach()
file(WRITE "${OUTPUT}" "// Made from cl/ by cmake/embed_sources.cmake.
#include \"device/source.hpp\"

namespace gz {

namespace {
${arrays}} // namespace

const EmbeddedSource embedded_sources[] = {
${rows}};
const unsigned embedded_source_count = ${count};

} // namespace gz
")
