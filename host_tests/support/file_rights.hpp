// Who may do what with files: by modes, or by Windows' lists.
#pragma once

#include <string>

namespace support {

// Users besides the owner may write to the file or directory.
void let_others_write(const std::string &path);
// Others may read it, and no more.
void let_others_read(const std::string &path);
// The owner alone may use it.
void let_nobody_else(const std::string &path);

// Whether the owner alone may use it: nobody else may even read it, but for those who may do anything.
bool is_for_owner_alone(const std::string &path);

// Makes the file look as if it was used so many seconds ago.
void age(const std::string &path, long seconds);

} // namespace support
