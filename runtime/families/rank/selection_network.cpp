#include "families/rank/selection_network.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/error.hpp"

namespace gz {

namespace {

// A value of a network, by its number.
using Value = int;
using Sorted = std::vector<Value>; // in ascending order

enum class Made { read, less, more };

// A node runs once for the tile, once for each of its halves, or once for each of its quarters.
enum class Turn { tile, half, quarter };
constexpr Turn all_turns[] = {Turn::tile, Turn::half, Turn::quarter};

struct Node {
    Made made;
    Turn turn;
    int a, b; // values, or the place of a pixel
};

// The nodes of a network. Equal ones are one, so that windows share what they have in common.
class Nodes {
public:
    // Pixels are read in this turn from now on.
    void read_in(Turn turn) { turn_ = turn; }
    Value pixel(int x, int y) { return find({Made::read, turn_, x, y}); }
    Value less(Value a, Value b) { return a == b ? a : find(made_of(Made::less, a, b)); }
    Value more(Value a, Value b) { return a == b ? a : find(made_of(Made::more, a, b)); }

    const Node &operator[](Value i) const { return all_[static_cast<std::size_t>(i)]; }
    std::size_t size() const { return all_.size(); }
    // Returns the smaller one of what the node has the larger one of; nothing where the network does not have it.
    std::optional<Value> smaller_of(Node node) const {
        node.made = Made::less;
        const auto found = numbers_.find(key(node));
        return found == numbers_.end() ? std::nullopt : std::optional<Value>(found->second);
    }

    Sorted sort(Sorted values) {
        if (values.size() < 2)
            return values;
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
        return merge(sort({values.begin(), middle}), sort({middle, values.end()}));
    }

    // Batcher's odd-even merge of lists of any lengths.
    Sorted merge(const Sorted &a, const Sorted &b) {
        if (a.empty() || b.empty())
            return a.empty() ? b : a;
        if (a.size() == 1 && b.size() == 1)
            return {less(a[0], b[0]), more(a[0], b[0])};
        const Sorted even = merge(every_other(a, 0), every_other(b, 0));
        const Sorted rest = merge(every_other(a, 1), every_other(b, 1));
        Sorted result{even[0]};
        std::size_t i = 0;
        for (; i < rest.size(); ++i)
            if (i + 1 < even.size()) {
                result.push_back(less(even[i + 1], rest[i]));
                result.push_back(more(even[i + 1], rest[i]));
            } else {
                result.push_back(rest[i]);
            }
        for (i = rest.size() + 1; i < even.size(); ++i)
            result.push_back(even[i]);
        return result;
    }

    Sorted merge_all(std::vector<Sorted> lists) {
        lists.erase(std::remove_if(lists.begin(), lists.end(),
                                   [](const Sorted &list) { return list.empty(); }),
                    lists.end());
        while (lists.size() > 1) {
            std::vector<Sorted> next;
            for (std::size_t i = 0; i < lists.size(); i += 2)
                next.push_back(i + 1 < lists.size() ? merge(lists[i], lists[i + 1]) : lists[i]);
            lists = std::move(next);
        }
        return lists.empty() ? Sorted() : lists.front();
    }

    // Returns the value of a rank of two lists: the smallest of max(a[i - 1], b[k - i]), where what is not
    // there is below or above all.
    Value select(const Sorted &a, const Sorted &b, int rank) {
        const int na = static_cast<int>(a.size());
        const int nb = static_cast<int>(b.size());
        std::optional<Value> best;
        for (int i = std::max(0, rank + 1 - nb); i <= std::min(na, rank + 1); ++i) {
            const int j = rank + 1 - i;
            const auto of = [](const Sorted &list, int at) {
                return list[static_cast<std::size_t>(at)];
            };
            const Value bound = j == 0   ? of(a, i - 1)
                                : i == 0 ? of(b, j - 1)
                                         : more(of(a, i - 1), of(b, j - 1));
            best = best ? less(*best, bound) : bound;
        }
        return best.value();
    }

private:
    Node made_of(Made made, Value a, Value b) const {
        return {made, std::max((*this)[a].turn, (*this)[b].turn), std::min(a, b), std::max(a, b)};
    }
    static std::uint64_t key(const Node &node) {
        return (static_cast<std::uint64_t>(node.made) << 62) |
               (static_cast<std::uint64_t>(node.turn) << 60) |
               (static_cast<std::uint64_t>(static_cast<std::uint32_t>(node.a)) << 30) |
               static_cast<std::uint32_t>(node.b);
    }
    static Sorted every_other(const Sorted &list, std::size_t first) {
        Sorted result;
        for (std::size_t i = first; i < list.size(); i += 2)
            result.push_back(list[i]);
        return result;
    }
    Value find(const Node &node) {
        const auto [place, is_new] =
            numbers_.try_emplace(key(node), static_cast<Value>(all_.size()));
        if (is_new)
            all_.push_back(node);
        return place->second;
    }

    Turn turn_ = Turn::tile;
    std::vector<Node> all_;
    std::unordered_map<std::uint64_t, Value> numbers_;
};

// Places first to end - 1 along an axis.
struct Span {
    int first, end;

    int length() const { return std::max(0, end - first); }
    bool has(int i) const { return i >= first && i < end; }
};

class Network {
public:
    explicit Network(const NetworkShape &shape)
        : shape_(shape), made_x_(shape.mirrors ? shape.tile_x / 2 : shape.tile_x),
          made_y_(shape.mirrors ? shape.tile_y / 2 : shape.tile_y),
          results_(static_cast<std::size_t>(made_x_ * made_y_)) {
        constexpr int middle = 4; // of nine
        if (shape.mirrors)
            make_quarter();
        else if (shape.window_x == 3 && shape.window_y == 3 && shape.rank == middle &&
                 shape.tile_x >= 4 && shape.tile_y >= 2 && shape.footprint.empty())
            make_median_of_nine();
        else if (shape.footprint.empty())
            make_box();
        else
            make_footprint();
        find_order();
    }

    NetworkText text(int sums) const;
    int comparators() const {
        int count = 0;
        for (const Value i : order_)
            if (nodes_[i].made != Made::read)
                count += 1 << static_cast<int>(nodes_[i].turn);
        return count;
    }

private:
    // Values that all windows of a part of the tile cover, sorted: those of ranks first_rank on, as others
    // are out.
    struct Core {
        Sorted values;
        int first_rank = 0;
    };
    // A part of the tile.
    struct Part {
        Span x, y; // results
    };
    // Sorted columns and rows that some windows of a part cover, by their place.
    using Lists = std::map<int, Sorted>;

    int window_count() const { return shape_.window_x * shape_.window_y; }
    // The pixels that all windows of such results cover along an axis.
    static Span shared(const Span &results, int window) {
        return {results.end - 1, results.first + window};
    }
    static Span covered(const Span &results, int window) {
        return {results.first, results.end - 1 + window};
    }

    Core pruned(const Core &core, int count) const {
        const int rest = window_count() - count;
        const int length = static_cast<int>(core.values.size());
        const int first = std::max(core.first_rank, shape_.rank - rest);
        const int end = std::min(core.first_rank + length, shape_.rank + 1);
        const auto at = [&](int rank) { return core.values.begin() + (rank - core.first_rank); };
        return {{at(first), at(std::max(first, end))}, first};
    }

    // Adds lists to a core of `count` pixels.
    Core grown(const Core &core, int count, const std::vector<Sorted> &lists) {
        int added = 0;
        for (const Sorted &list : lists)
            added += static_cast<int>(list.size());
        if (added == 0)
            return core;
        const Sorted more = nodes_.merge_all(lists);
        if (count + added == window_count())
            return {{nodes_.select(core.values, more, shape_.rank - core.first_rank)}, shape_.rank};
        return pruned({nodes_.merge(core.values, more), core.first_rank}, count + added);
    }

    Sorted sorted_column(int x, const Span &rows) {
        Sorted values;
        for (int y = rows.first; y < rows.end; ++y)
            values.push_back(nodes_.pixel(x, y));
        return nodes_.sort(values);
    }
    Sorted sorted_row(int y, const Span &columns) {
        Sorted values;
        for (int x = columns.first; x < columns.end; ++x)
            values.push_back(nodes_.pixel(x, y));
        return nodes_.sort(values);
    }

    void make_box() {
        const Part tile{{0, shape_.tile_x}, {0, shape_.tile_y}};
        const Span x = shared(tile.x, shape_.window_x), y = shared(tile.y, shape_.window_y);
        Lists columns, rows;
        std::vector<Sorted> inner;
        for (int at = 0; at < covered(tile.x, shape_.window_x).end; ++at) {
            Sorted column = sorted_column(at, y);
            if (x.has(at))
                inner.push_back(std::move(column));
            else
                columns[at] = std::move(column);
        }
        for (int at = 0; at < covered(tile.y, shape_.window_y).end; ++at)
            if (!y.has(at))
                rows[at] = sorted_row(at, x);
        Core core{nodes_.merge_all(std::move(inner)), 0};
        core = window_count() == x.length() * y.length()
                   ? Core{{core.values[static_cast<std::size_t>(shape_.rank)]}, shape_.rank}
                   : pruned(core, x.length() * y.length());
        split(tile, core, columns, rows);
    }

    // The upper left quarter, of which the other ones are mirror images: what all quarters share, what both
    // quarters of a half share, and the rest. Windows are at least as long as the tile.
    void make_quarter() {
        const Part quarter{{0, made_x_}, {0, made_y_}};
        const Span x = shared({0, shape_.tile_x}, shape_.window_x);
        const Span y = shared({0, shape_.tile_y}, shape_.window_y);
        std::vector<Sorted> inner;
        for (int at = x.first; at < x.end; ++at)
            inner.push_back(sorted_column(at, y));
        Core core = pruned({nodes_.merge_all(std::move(inner)), 0}, x.length() * y.length());

        nodes_.read_in(Turn::half);
        const Span of_half = shared(quarter.x, shape_.window_x);
        std::vector<Sorted> added;
        Lists columns, rows;
        for (int at = 0; at < covered(quarter.x, shape_.window_x).end; ++at)
            if (of_half.has(at) && !x.has(at))
                added.push_back(sorted_column(at, y));
            else if (!of_half.has(at))
                columns[at] = sorted_column(at, y);
        core = grown(core, x.length() * y.length(), added);

        nodes_.read_in(Turn::quarter);
        const Span of_quarter = shared(quarter.y, shape_.window_y);
        added.clear();
        std::vector<int> places;
        for (int at = 0; at < covered(quarter.y, shape_.window_y).end; ++at)
            if (of_quarter.has(at) && !y.has(at)) {
                added.push_back(sorted_row(at, of_half));
                places.push_back(at);
            } else if (!of_quarter.has(at)) {
                rows[at] = sorted_row(at, of_half);
            }
        for (auto &[at, column] : columns)
            column = longer_column(at, column, places);
        core = grown(core, of_half.length() * y.length(), added);
        split(quarter, core, columns, rows);
    }
    Sorted longer_column(int x, const Sorted &column, const std::vector<int> &rows) {
        Sorted more;
        for (const int y : rows)
            more.push_back(nodes_.pixel(x, y));
        return nodes_.merge(column, nodes_.sort(more));
    }
    Sorted longer_row(int y, const Sorted &row, const std::vector<int> &columns) {
        Sorted more;
        for (const int x : columns)
            more.push_back(nodes_.pixel(x, y));
        return nodes_.merge(row, nodes_.sort(more));
    }

    // Splits the wider side; x first where both are the same.
    void split(const Part &part, const Core &core, const Lists &columns, const Lists &rows) {
        if (part.x.length() == 1 && part.y.length() == 1) {
            results_[static_cast<std::size_t>(part.y.first * made_x_ + part.x.first)] =
                core.values.at(0);
            return;
        }
        const bool along_x = part.x.length() >= part.y.length();
        const Span &side = along_x ? part.x : part.y;
        const int middle = side.first + side.length() / 2;
        for (const Span &half : {Span{side.first, middle}, Span{middle, side.end}}) {
            const Part own = along_x ? Part{half, part.y} : Part{part.x, half};
            const int window = along_x ? shape_.window_x : shape_.window_y;
            const Span before = shared(side, window), now = shared(half, window);
            const Span across =
                along_x ? shared(part.y, shape_.window_y) : shared(part.x, shape_.window_x);
            const Lists &lists = along_x ? columns : rows;
            std::vector<Sorted> added;
            Lists kept;
            std::vector<int> places;
            for (int at = now.first; at < now.end; ++at)
                if (!before.has(at)) {
                    added.push_back(lists.at(at));
                    places.push_back(at);
                }
            for (int at = covered(half, window).first; at < covered(half, window).end; ++at)
                if (!now.has(at))
                    kept[at] = lists.at(at);
            // Lines across grow by the places that all windows of the half cover now.
            Lists longer;
            for (const auto &[at, line] : along_x ? rows : columns)
                longer[at] =
                    along_x ? longer_row(at, line, places) : longer_column(at, line, places);
            const Core next = grown(core, before.length() * across.length(), added);
            split(own, next, along_x ? kept : longer, along_x ? longer : kept);
        }
    }

    // Sorts columns of three, of which windows below each other share two pixels and windows side by side two
    // columns: the median is the middle one of the largest least, the middle of the middles, and the least
    // largest. Fewer steps than halving takes for this window.
    void make_median_of_nine() {
        struct Column {
            Value least, middle, largest;
        };
        std::map<std::pair<int, int>, Column> columns;
        for (int x = 0; x < shape_.tile_x + 2; ++x)
            for (int y = 0; y < shape_.tile_y; ++y) {
                // Two rows in common with the window above or below.
                const int pair = y % 2 == 0 ? y + 1 : y;
                const int other = y % 2 == 0 ? y : y + 2;
                const Value a = nodes_.pixel(x, pair), b = nodes_.pixel(x, pair + 1);
                const Value c = nodes_.pixel(x, other);
                const Value low = nodes_.less(a, b), high = nodes_.more(a, b);
                const Value rest = nodes_.more(low, c);
                columns[{x, y}] = {nodes_.less(low, c), nodes_.less(high, rest),
                                   nodes_.more(high, rest)};
            }
        for (int y = 0; y < shape_.tile_y; ++y)
            for (int x = 0; x < shape_.tile_x; ++x) {
                const int pair = x % 2 == 0 ? x + 1 : x;
                const Column &a = columns[{pair, y}], &b = columns[{pair + 1, y}];
                const Column &c = columns[{x % 2 == 0 ? x : x + 2, y}];
                const Value low = nodes_.more(nodes_.more(a.least, b.least), c.least);
                const Value high = nodes_.less(nodes_.less(a.largest, b.largest), c.largest);
                const Value middle =
                    nodes_.more(nodes_.less(a.middle, b.middle),
                                nodes_.less(nodes_.more(a.middle, b.middle), c.middle));
                results_[static_cast<std::size_t>(y * shape_.tile_x + x)] = nodes_.more(
                    nodes_.less(low, middle), nodes_.less(nodes_.more(low, middle), high));
            }
    }

    // Each window by itself: sorted runs of its columns, which windows side by side or below each other often
    // have in common.
    void make_footprint() {
        for (int ty = 0; ty < shape_.tile_y; ++ty)
            for (int tx = 0; tx < shape_.tile_x; ++tx) {
                std::vector<Sorted> columns;
                for (int x = 0; x < shape_.window_x; ++x) {
                    Sorted values;
                    for (int y = 0; y < shape_.window_y; ++y)
                        if (shape_.footprint[static_cast<std::size_t>(y * shape_.window_x + x)])
                            values.push_back(nodes_.pixel(tx + x, ty + y));
                    columns.push_back(nodes_.sort(values));
                }
                columns.erase(std::remove_if(columns.begin(), columns.end(),
                                             [](const Sorted &c) { return c.empty(); }),
                              columns.end());
                const auto half = columns.begin() + static_cast<std::ptrdiff_t>(columns.size() / 2);
                results_[static_cast<std::size_t>(ty * shape_.tile_x + tx)] =
                    nodes_.select(nodes_.merge_all({columns.begin(), half}),
                                  nodes_.merge_all({half, columns.end()}), shape_.rank);
            }
    }

    // One result after the other, each depth first: few values are alive at a time, and what no result needs
    // is left out.
    void find_order() {
        std::vector<bool> done(nodes_.size(), false);
        for (const Value result : results_) {
            std::vector<std::pair<Value, int>> stack{{result, 0}};
            while (!stack.empty()) {
                auto &[i, visited] = stack.back();
                const Node &node = nodes_[i];
                if (done[static_cast<std::size_t>(i)]) {
                    stack.pop_back();
                } else if (node.made == Made::read || visited == 2) {
                    done[static_cast<std::size_t>(i)] = true;
                    order_.push_back(i);
                    stack.pop_back();
                } else {
                    const Value next = visited++ == 0 ? node.a : node.b;
                    stack.emplace_back(next, 0);
                }
            }
        }
    }

    NetworkShape shape_;
    int made_x_, made_y_; // results that are made: of the tile, or of its upper left quarter
    Nodes nodes_;
    std::vector<Value> results_; // row after row
    std::vector<Value> order_;
};

NetworkText Network::text(int sums) const {
    NetworkText result;
    std::vector<bool> needed(nodes_.size(), false), done(nodes_.size(), false);
    for (const Value i : order_)
        needed[static_cast<std::size_t>(i)] = true;
    std::vector<bool> stored(static_cast<std::size_t>(made_y_), false);
    int pairs = 0;
    const auto name = [](Value i) { return gz::text("v", i); };
    const auto write = [&](Value i, const std::string &expression) {
        result.statements += "T " + name(i) + " = " + expression + ";\n";
        done[static_cast<std::size_t>(i)] = true;
    };
    const auto make = [&](Value i) {
        const Node &node = nodes_[i];
        constexpr const char *reads[] = {"AT(", "AT_OF_HALF(", "AT_OF_QUARTER("};
        if (node.made == Made::read)
            write(i, reads[static_cast<int>(node.turn)] + std::to_string(node.a) + ", " +
                         std::to_string(node.b) + ")");
        else
            write(i, (node.made == Made::less ? "LESS(" : "MORE(") + name(node.a) + ", " +
                         name(node.b) + ")");
    };
    const auto make_or_sum = [&](Value i) {
        const Node &node = nodes_[i];
        const std::optional<Value> other =
            node.made == Made::more ? nodes_.smaller_of(node) : std::nullopt;
        bool by_sum = false;
        if (other && needed[static_cast<std::size_t>(*other)]) {
            ++pairs;
            by_sum = pairs * sums / 16 != (pairs - 1) * sums / 16;
        }
        if (!by_sum)
            return make(i);
        if (!done[static_cast<std::size_t>(*other)])
            make(*other);
        write(i, "REST(" + name(node.a) + ", " + name(node.b) + ", " + name(*other) + ")");
    };
    const auto store_rows = [&] {
        for (int y = 0; y < made_y_; ++y) {
            const auto row = results_.begin() + y * made_x_;
            if (stored[static_cast<std::size_t>(y)] ||
                !std::all_of(row, row + made_x_,
                             [&](Value v) { return done[static_cast<std::size_t>(v)]; }))
                continue;
            stored[static_cast<std::size_t>(y)] = true;
            result.statements += "RESULTS(" + std::to_string(y);
            for (int x = 0; x < made_x_; ++x)
                result.statements += ", " + name(row[x]);
            result.statements += ")\n";
        }
    };
    for (const Turn turn : all_turns) {
        if (turn != Turn::tile && shape_.mirrors)
            result.statements += turn == Turn::half ? "EACH_HALF {\n" : "EACH_QUARTER {\n";
        for (const Value i : order_)
            if (nodes_[i].turn == turn && !done[static_cast<std::size_t>(i)]) {
                make_or_sum(i);
                store_rows();
            }
    }
    if (shape_.mirrors)
        result.statements += "}\n}\n";
    result.comparators = comparators();
    return result;
}

} // namespace

bool NetworkShape::operator<(const NetworkShape &other) const {
    const auto all = [](const NetworkShape &s) {
        return std::tie(s.window_x, s.window_y, s.rank, s.tile_x, s.tile_y, s.mirrors, s.footprint);
    };
    return all(*this) < all(other);
}

NetworkText selection_network(const NetworkShape &shape, int sums) {
    constexpr std::size_t kept = 64;
    static std::mutex mutex;
    static std::map<std::pair<NetworkShape, int>, NetworkText> texts;
    {
        const std::lock_guard<std::mutex> lock(mutex);
        if (const auto found = texts.find({shape, sums}); found != texts.end())
            return found->second;
    }
    NetworkText text = Network(shape).text(sums);
    const std::lock_guard<std::mutex> lock(mutex);
    if (texts.size() >= kept)
        texts.clear();
    return texts.try_emplace({shape, sums}, std::move(text)).first->second;
}

double comparators_per_result(const NetworkShape &shape) {
    return static_cast<double>(selection_network(shape).comparators) /
           static_cast<double>(shape.tile_x * shape.tile_y);
}

} // namespace gz
