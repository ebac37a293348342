#include "families/ssimulacra2/ssimulacra2.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/error.hpp"

namespace gz::ssimulacra2 {

namespace {

// place = ((channel scales + scale) norms + norm) maps + map; other places weigh nothing.
const std::map<std::size_t, double> weights = {
    {1, 0.0007376606707406586},    {4, 0.0007793481682867309},  {7, 0.0004371155730107379},
    {9, 1.1041726426657346},       {10, 0.00066284834129271},   {11, 0.00015231632783718752},
    {13, 0.0016406437456599754},   {15, 1.8422455520539298},    {16, 11.441172603757666},
    {18, 0.0007989109436015163},   {19, 0.000176816438078653},  {21, 1.8787594979546387},
    {22, 10.94906990605142},       {24, 0.0007289346991508072}, {25, 0.9677937080626833},
    {27, 0.00014003424285435884},  {28, 0.9981766977854967},    {29, 0.00031949755934435053},
    {30, 0.0004550992113792063},   {33, 0.0013648766163243398}, {39, 7.466890328078848},
    {41, 17.445833984131262},      {42, 0.0006235601634041466}, {45, 6.683678146179332},
    {46, 0.00037724407979611296},  {47, 1.027889937768264},     {48, 225.20515300849274},
    {51, 19.213238186143016},      {52, 0.0011401524586618361}, {53, 0.001237755635509985},
    {54, 176.39317598450694},      {57, 24.43300999870476},     {58, 0.28520802612117757},
    {59, 0.0004485436923833408},   {63, 34.77906344483772},     {64, 44.835625328877896},
    {73, 0.0008680556573291698},   {79, 0.0005313191874358747}, {81, 0.00016533814161379112},
    {87, 0.0004179171803251336},   {88, 0.0017290828234722833}, {90, 0.0020827005846636437},
    {93, 8.826982764996862},       {94, 23.19243343998926},     {96, 95.1080498811086},
    {97, 0.9863978034400682},      {98, 0.9834382792465353},    {99, 0.0012286405048278493},
    {100, 171.2667255897307},      {101, 0.9807858872435379},   {105, 0.0005130064588990679},
    {107, 0.00010854057858411537},
};

constexpr double error_scale = 0.9562382616834844;
constexpr double cubic[3] = {2.326765642916932, -0.020884521182843837, 6.248496625763138e-05};
constexpr double power = 0.6276336467831387;

} // namespace

std::vector<Backgrounds> backgrounds_for(bool reference_has_alpha, bool distorted_has_alpha) {
    if (reference_has_alpha)
        return {{0.1, 0.1}, {0.9, 0.9}};
    return {{0.0, distorted_has_alpha ? 0.5 : 0.0}};
}

std::vector<Extent> scales_of(const Extent &image) {
    require(image.width >= least_side && image.height >= least_side, "the images are ", image.width,
            "x", image.height, "; SSIMULACRA 2 takes ", least_side, "x", least_side,
            " pixels or more");
    std::vector<Extent> scales{image};
    while (scales.size() < max_scales) {
        const Extent &last = scales.back();
        if (std::min(last.width, last.height) < least_side)
            break;
        scales.push_back({(last.width + 1) / 2, (last.height + 1) / 2});
    }
    return scales;
}

std::vector<SubScores> weights_of(std::size_t scales) {
    std::vector<SubScores> result(scales);
    std::size_t place = 0;
    for (std::size_t channel = 0; channel < channels; ++channel)
        for (std::size_t scale = 0; scale < scales; ++scale)
            for (auto &norm : result[scale][channel])
                for (double &weight : norm) {
                    const auto known = weights.find(place++);
                    weight = known == weights.end() ? 0.0 : known->second;
                }
    return result;
}

SubScores pooled(const SubScores &sums, const Extent &extent) {
    SubScores result = sums;
    const double pixels = static_cast<double>(extent.width) * static_cast<double>(extent.height);
    for (auto &channel : result) {
        for (double &mean : channel[0])
            mean /= pixels;
        for (double &root : channel[1])
            root = std::sqrt(std::sqrt(root / pixels));
    }
    return result;
}

double score_of(const std::vector<SubScores> &sub_scores) {
    const std::vector<SubScores> weighting = weights_of(sub_scores.size());
    double sum = 0.0;
    for (std::size_t scale = 0; scale < sub_scores.size(); ++scale)
        for (std::size_t channel = 0; channel < channels; ++channel)
            for (std::size_t norm = 0; norm < norms; ++norm)
                for (std::size_t map = 0; map < maps; ++map)
                    sum += weighting[scale][channel][norm][map] *
                           sub_scores[scale][channel][norm][map];
    return score_of(sum);
}

double score_of(double weighted_error) {
    const double e = error_scale * weighted_error;
    const double error = ((cubic[2] * e + cubic[1]) * e + cubic[0]) * e;
    return error <= 0.0 ? 100.0 : 100.0 - 10.0 * std::pow(error, power); // NaN stays NaN
}

std::vector<Shares> shares_of(const std::vector<SubScores> &sub_scores) {
    const std::vector<SubScores> weighting = weights_of(sub_scores.size());
    std::vector<Shares> result(sub_scores.size());
    for (std::size_t scale = 0; scale < result.size(); ++scale)
        for (std::size_t channel = 0; channel < channels; ++channel)
            for (std::size_t map = 0; map < maps; ++map) {
                const auto &weight = weighting[scale][channel];
                const double root = sub_scores[scale][channel][1][map];
                Share &share = result[scale][channel][map];
                share.mean = weight[0][map];
                share.fourth = weight[1][map] * root;
                share.inverse_root = root > 0.0 ? 1.0 / root : 0.0;
            }
    return result;
}

} // namespace gz::ssimulacra2
