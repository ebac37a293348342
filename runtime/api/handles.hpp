// The objects behind the handles of gauze.h and gauze_tuning.h.
#pragma once

#include <gauze/gauze_tuning.h>

#include <cstdint>
#include <functional>
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
#include "plan/problems.hpp"

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
    std::shared_ptr<const gz::Plan> plan; // which its problems share
};

struct gauze_ssimulacra2 {
    gz::HandleTag<gz::HandleKind::ssimulacra2> tag;
    std::shared_ptr<gz::Ssimulacra2> metric; // which its problems share
    std::int64_t pixels;
};

struct gauze_problem {
    gz::HandleTag<gz::HandleKind::problem> tag;
    std::string name;
    // Both hold the plan or the metric. To find the candidates takes long: tuners ask many problems for their names alone.
    std::function<std::vector<std::string>()> find_candidates;
    std::function<void(const std::vector<gz::ProblemResult> &)> add_results; // to the tuning file
    mutable std::once_flag candidates_are_known{};
    mutable std::vector<std::string> known_candidates{};

    const std::vector<std::string> &candidates() const {
        std::call_once(candidates_are_known, [this] { known_candidates = find_candidates(); });
        return known_candidates;
    }
};
