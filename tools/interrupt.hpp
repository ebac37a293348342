// Whether somebody has asked the process to end, for what system_posix.cpp and system_windows.cpp call when it is.
#ifndef GAUZE_TOOLS_INTERRUPT_HPP
#define GAUZE_TOOLS_INTERRUPT_HPP

#include <atomic>
#include <ctime>

namespace gauze::tool {

class Interrupt {
public:
    // Notes that somebody asks. Returns whether the process ends at once, because somebody had asked before: two seconds
    // before, as programs that end others may send two signals for one. A signal's handler may call it.
    bool note() {
        const std::time_t now = std::time(nullptr);
        std::time_t first = 0;
        return !first_.compare_exchange_strong(first, now) && now - first >= 2;
    }

    bool is_noted() const { return first_ != 0; }

private:
    static_assert(std::atomic<std::time_t>::is_always_lock_free);
    std::atomic<std::time_t> first_{0}; // 0: nobody has asked
};

} // namespace gauze::tool

#endif
