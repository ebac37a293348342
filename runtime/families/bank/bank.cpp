#include "families/bank/bank.hpp"

#include "core/error.hpp"
#include "families/filter.hpp"

namespace gz {

Bank checked(Bank bank) {
    require(!bank.filters.empty() && bank.filters.size() <= max_bank, "the bank has ",
            bank.filters.size(), " filters; it must be from 1 to ", max_bank);
    for (const Filter &filter : bank.filters)
        require(filter.target_count() == 1 && !filter.is<Bank>() && !filter.is<Guided>() &&
                    filter.results() == Results::pixels,
                "a filter of the bank is a ", to_text(filter),
                "; banks, guided filters and summed-area tables cannot be in one");
    return bank;
}

std::string to_text(const Bank &bank) {
    std::string result = text("bank of ", bank.filters.size(), ":");
    for (const Filter &one : bank.filters)
        result += text(&one == bank.filters.data() ? " " : "; ", to_text(one));
    return result;
}

void check_border(const Bank &bank, const Border &border) {
    for (const Filter &one : bank.filters)
        one.check_border(border);
}

double error_bound(const Bank &, double) {
    fail(Status::internal, "a bank has a bound for each of its filters");
}

double rounding_bound(const Bank &, double) {
    fail(Status::internal, "a bank has a bound for each of its filters");
}

AxesReach reach_of(const Bank &bank) {
    AxesReach result;
    for (const Filter &one : bank.filters)
        result = cover(result, one.reach());
    return result;
}

bool rounds_once(const Bank &, const Rounded &) {
    return false;
}

Results results_of(const Bank &) {
    return Results::pixels;
}

void compute(const Bank &, const ReferenceJob &, ModesAs, const RowSink<double> &) {
    fail(Status::internal, "the filters of a bank are computed one by one");
}

} // namespace gz
