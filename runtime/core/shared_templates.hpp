// Templates of the standard library that nearly all files use. Where nothing is optimised, files that are compiled
// with this header have no code of them: shared_templates.cpp has it, once. Precompiled headers have this; no
// source needs it.
#pragma once

#include <map>
#include <string>
#include <vector>

#if defined(__GLIBCXX__) && !defined(__OPTIMIZE__)
extern template class std::basic_string<char>;
extern template class std::map<std::string, int>;
extern template class std::vector<int>;
extern template class std::vector<std::string>;
#endif
