#include "core/shared_templates.hpp"

#if defined(__GLIBCXX__) && !defined(__OPTIMIZE__)
template class std::basic_string<char>;
template class std::map<std::string, int>;
template class std::vector<int>;
template class std::vector<std::string>;
#endif
