// The objects behind the handles of gauze.h.
#pragma once

#include <gauze/gauze.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/handle.hpp"
#include "device/discovery.hpp"
#include "device/engine.hpp"
#include "families/filter.hpp"
#include "families/ssimulacra2/metric.hpp"
#include "plan/device_image.hpp"
#include "plan/plan.hpp"

struct gauze_device_list {
    gz::HandleTag<gz::HandleKind::device_list> tag;
    gz::Discovery found;
    std::string notes;
    std::vector<std::string> tuning; // of each device
};

struct gauze_engine {
    gz::HandleTag<gz::HandleKind::engine> tag;
    std::shared_ptr<gz::Engine> engine;
    mutable std::once_flag tuning_is_known{};
    mutable std::string tuning{};
};

struct gauze_image {
    gz::HandleTag<gz::HandleKind::image> tag;
    gz::DeviceImage image;
};

struct gauze_filter {
    gz::HandleTag<gz::HandleKind::filter> tag;
    gz::Filter filter;
};

struct gauze_plan {
    gz::HandleTag<gz::HandleKind::plan> tag;
    gz::Plan plan;
};

struct gauze_ssimulacra2 {
    gz::HandleTag<gz::HandleKind::ssimulacra2> tag;
    gz::Ssimulacra2 metric;
    std::int64_t pixels;
};
