// Images that end where the next page may not be touched: what reads or writes beyond them ends the
// process, on devices that share the host's memory. Their first pixels are at odd addresses, as an
// embedder's may be.
#include <doctest/doctest.h>

#include <cstring>

#include <sys/mman.h>
#include <unistd.h>

#include "core/error.hpp"
#include "filter/reference.hpp"
#include "plan/plan.hpp"
#include "support/correlate_case.hpp"

namespace {

using namespace gz;

// Memory whose last byte is followed by a page without access.
class GuardedMemory {
public:
    explicit GuardedMemory(std::size_t bytes) : bytes_(bytes) {
        const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        usable_ = (bytes + page - 1) / page * page;
        mapped_ = usable_ + page;
        void *const base =
            mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        REQUIRE(base != MAP_FAILED);
        base_ = static_cast<std::byte *>(base);
        REQUIRE(mprotect(base_ + usable_, page, PROT_NONE) == 0);
    }
    ~GuardedMemory() { munmap(base_, mapped_); }
    GuardedMemory(const GuardedMemory &) = delete;
    GuardedMemory &operator=(const GuardedMemory &) = delete;

    std::byte *data() const { return base_ + usable_ - bytes_; }
    std::size_t size() const { return bytes_; }
    cl::Buffer buffer(const cl::Context &context) const {
        return {context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes_, data()};
    }

private:
    std::size_t bytes_, usable_ = 0, mapped_ = 0;
    std::byte *base_ = nullptr;
};

void run_guarded(const std::string &kernel, PixelType type, int channels, std::int64_t width,
                 std::int64_t height, const support::TapsCase &taps) {
    const Filter filter = support::make_filter(taps, 11);
    PlanDesc desc;
    desc.source.type = desc.target.type = type;
    desc.source.channels = desc.target.channels = channels;
    desc.source.extent = desc.target.extent = {width, height, 1, 1};
    desc.border = {BorderMode::reflect, 0.0};
    desc = complete(desc);
    const Plan plan(support::engine(), filter, desc, kernel);

    const auto bytes = static_cast<std::size_t>(desc.source.bytes());
    const GuardedMemory source(bytes), target(bytes);
    for (std::size_t i = 0; i < bytes; i += size_of(type))
        store_pixel(type, static_cast<float>(i * 7919 % 251) / 256.0F, source.data() + i);
    {
        const cl::Buffer from = source.buffer(support::engine()->context());
        const cl::Buffer to = target.buffer(support::engine()->context());
        plan.enqueue(nullptr, from(), to(), {}, nullptr);
        std::vector<std::byte> got(bytes);
        support::engine()->queue().enqueueReadBuffer(to, CL_TRUE, 0, bytes, got.data());
        std::vector<std::byte> expected(bytes);
        compute_in_f32({filter, desc.source, desc.border, desc.region, source.data()},
                       [&](const RowPlace &at, const float *row) {
                           for (std::int64_t i = 0; i < width * channels; ++i)
                               store_pixel(type, row[i],
                                           expected.data() +
                                               desc.target.byte_of({0, at.y, 0, 0}, 0) +
                                               i * static_cast<std::int64_t>(size_of(type)));
                       });
        CHECK(got == expected);
    }
}

} // namespace

TEST_CASE("guard pages") {
    int ran = 0;
    for (const char *kernel : {"correlate_tiled", "correlate_strips", "correlate_plain"})
        for (const PixelType type : {PixelType::u8, PixelType::f16, PixelType::f32})
            for (const support::TapsCase &taps : {support::TapsCase{3, 3, 1, 1, false, false},
                                                  {5, 5, 2, 2, true, false},
                                                  {4, 2, 0, 1, false, true}})
                for (const auto &[width, height] : {std::pair{67, 41}, {128, 32}, {1, 1}}) {
                    INFO(kernel, " ", name_of(type), " ", width, "x", height, " taps ", taps.width);
                    try {
                        run_guarded(kernel, type, width == 67 ? 3 : 1, width, height, taps);
                        ++ran;
                    } catch (const Error &error) {
                        CHECK(error.status() == Status::unsupported);
                    }
                }
    CHECK(ran > 0);
}
