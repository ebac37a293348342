#include "device/launch.hpp"

template class std::vector<std::byte>;
template class std::vector<gz::Argument>;
template class std::vector<gz::Launch>;
