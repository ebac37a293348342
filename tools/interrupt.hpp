// Whether somebody has asked the process to end, for what system_posix.cpp and system_windows.cpp call when somebody does.
#ifndef GAUZE_TOOLS_INTERRUPT_HPP
#define GAUZE_TOOLS_INTERRUPT_HPP

#include <atomic>
#include <chrono>

namespace gauze::tool {

class Interrupt {
public:
    using Clock = std::chrono::steady_clock;

    // Notes that somebody asks. Returns whether the process ends at once, because somebody had asked two seconds before or
    // earlier: programs that end others may send two signals for one. A signal's handler may call it.
    bool note(Clock::time_point now = Clock::now()) {
        Clock::rep first = never;
        return !first_.compare_exchange_strong(first, now.time_since_epoch().count()) &&
               now.time_since_epoch() - Clock::duration(first) >= std::chrono::seconds(2);
    }

    bool is_noted() const { return first_ != never; }

private:
    static constexpr Clock::rep never = Clock::duration::min().count();
    static_assert(std::atomic<Clock::rep>::is_always_lock_free);
    std::atomic<Clock::rep> first_{never};
};

} // namespace gauze::tool

#endif
