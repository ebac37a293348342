// Memory that ends where a page without access begins.
#pragma once

#include <cstddef>
#include <new>

#ifdef _WIN32
#include <windows.h>
#else
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace support {

// Whole pages of at least so many bytes.
class GuardedPages {
public:
    explicit GuardedPages(std::size_t bytes) {
#ifdef _WIN32
        SYSTEM_INFO system{};
        GetSystemInfo(&system);
        const std::size_t page = system.dwPageSize;
#else
        const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
#endif
        size_ = (bytes + page - 1) / page * page;
        reserved_ = size_ + page;
#ifdef _WIN32
        DWORD before = 0;
        base_ = static_cast<std::byte *>(
            VirtualAlloc(nullptr, reserved_, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE));
        if (!base_ || !VirtualProtect(base_ + size_, page, PAGE_NOACCESS, &before))
            throw std::bad_alloc();
#else
        void *const base =
            mmap(nullptr, reserved_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (base == MAP_FAILED)
            throw std::bad_alloc();
        base_ = static_cast<std::byte *>(base);
        if (mprotect(base_ + size_, page, PROT_NONE) != 0)
            throw std::bad_alloc();
#endif
    }
    ~GuardedPages() {
#ifdef _WIN32
        VirtualFree(base_, 0, MEM_RELEASE);
#else
        munmap(base_, reserved_);
#endif
    }
    GuardedPages(const GuardedPages &) = delete;
    GuardedPages &operator=(const GuardedPages &) = delete;

    std::byte *end() const {
        return base_ + size_;
    }

private:
    std::size_t size_ = 0, reserved_ = 0;
    std::byte *base_ = nullptr;
};

} // namespace support
