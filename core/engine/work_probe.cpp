// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/work_probe.h"

#include "core/engine/check_timer.h"
#include "core/engine/check_work.h"
#include "core/engine/precision_setup.h"

#include <ATen/ATen.h>
#include <algorithm>
#include <array>
#include <chrono>
#include <fmt/format.h>

namespace mantissa {

namespace {

using Clock = std::chrono::steady_clock;

/// A sample of short work is several executions: the other formats have emptied the caches.
constexpr double kSampleMs = 2;
constexpr double kWarmUpMs = 10; ///< what is longer is executed once before it is measured
constexpr std::size_t kFewestSamples = 5;
constexpr std::size_t kMostSamples = 60;

double millisecondsSince(Clock::time_point begin)
{
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

std::string wordsOf(const std::exception& error)
{
    const auto* torch = dynamic_cast<const c10::Error*>(&error);
    std::string words = torch ? torch->what_without_backtrace() : error.what();
    return words.substr(0, words.find('\n'));
}

/// A format on its way through the sizes of a kind of work.
struct Contestant {
    CheckCell cell;
    std::unique_ptr<CheckOperation> operation; ///< of the present size
    double fastestMs = 0; ///< of one execution of the last size
    int inner = 1; ///< executions a sample
    std::vector<double> samples; ///< ms of one execution
    at::Tensor result;
    bool running = true;
};

class WorkProbe {
public:
    WorkProbe(CheckWork work, at::Device device, CheckTimer& timer, double budgetMs,
        const std::function<bool(CheckFormat)>& computesIn)
        : m_work(work)
        , m_device(device)
        , m_timer(timer)
        , m_budgetMs(budgetMs)
    {
        for (const auto format : kCheckFormats) {
            auto& contestant = m_contestants.emplace_back();
            contestant.cell.work = work;
            contestant.cell.format = format;
            contestant.cell.hardwareFlag = computesIn(format);
        }
        refuseTf32();
    }

    std::vector<CheckCell> run()
    {
        const auto shapes = checkShapes(m_work, m_device.type());
        for (std::size_t i = 0; i < shapes.size(); ++i) {
            // The larger a size, the more it tells: each gets half of what is left, the last all.
            const bool last = i + 1 == shapes.size();
            const double share = (m_budgetMs - m_spentMs) * (last ? 1.0 : 0.3);
            const auto begin = Clock::now();
            measure(shapes[i], i == 0, share);
            m_spentMs += millisecondsSince(begin);
        }
        std::vector<CheckCell> cells;
        for (auto& contestant : m_contestants)
            cells.push_back(std::move(contestant.cell));
        return cells;
    }

private:
    void refuseTf32()
    {
        const auto reason = refusal(Precision::Tf32, m_device);
        for (auto& contestant : m_contestants) {
            if (contestant.cell.format != CheckFormat::Tf32 || !reason)
                continue;
            contestant.cell.reason = *reason;
            contestant.running = false;
        }
    }

    void measure(const CheckShape& shape, bool smallest, double shareMs)
    {
        const auto begin = Clock::now();
        for (auto& contestant : m_contestants) {
            if (contestant.running)
                prepare(contestant, shape, smallest, shareMs);
        }
        stopWithoutBaseline();
        takeTurns(begin, shareMs);
        for (auto& contestant : m_contestants) {
            if (contestant.running)
                conclude(contestant, shape);
        }
        finishSize();
    }

    /// A size that fp32 does not reach tells nothing of the others.
    void stopWithoutBaseline()
    {
        const auto& baseline = contestant(CheckFormat::Fp32);
        if (baseline.running || baseline.cell.points.empty())
            return;
        for (auto& each : m_contestants) {
            each.cell.cutShort = each.cell.cutShort || each.running;
            each.running = false;
        }
    }

    /// Whether the next size fits: at its speed so far, warm-up and a few samples.
    bool fits(const Contestant& contestant, const CheckShape& shape, double shareMs) const
    {
        const auto& points = contestant.cell.points;
        if (points.empty())
            return true;
        const double amount = amountOf(shape, contestant.cell.format);
        // By the fastest sample: another program's load must not keep a fast format small.
        const double predicted = contestant.fastestMs * amount / points.back().amount;
        return predicted * static_cast<double>(kFewestSamples + 1) < shareMs;
    }

    void prepare(Contestant& contestant, const CheckShape& shape, bool smallest, double shareMs)
    {
        if (!smallest && !fits(contestant, shape, shareMs)) {
            contestant.cell.cutShort = true;
            contestant.running = false;
            return;
        }
        try {
            contestant.operation =
                makeCheckOperation(m_work, shape, contestant.cell.format, m_device);
            warmUp(contestant);
        } catch (const std::exception& error) {
            giveUp(contestant, wordsOf(error));
        }
    }

    void warmUp(Contestant& contestant)
    {
        constexpr int kMostTries = 3;
        const auto begin = Clock::now();
        for (int i = 0; i < kMostTries && (i == 0 || millisecondsSince(begin) < kWarmUpMs); ++i) {
            const double ms = m_timer.milliseconds([&] { execute(contestant, 1); });
            contestant.fastestMs = i == 0 ? ms : std::min(ms, contestant.fastestMs);
        }
        contestant.inner =
            std::max(1, static_cast<int>(kSampleMs / std::max(contestant.fastestMs, 1e-4)));
        contestant.result = contestant.operation->result();
        contestant.samples.clear();
    }

    void execute(Contestant& contestant, int times)
    {
        allowTf32(contestant.cell.format == CheckFormat::Tf32);
        for (int i = 0; i < times; ++i)
            contestant.operation->run();
    }

    void takeTurns(Clock::time_point begin, double shareMs)
    {
        std::vector<Contestant*> order;
        for (auto& contestant : m_contestants) {
            if (contestant.running)
                order.push_back(&contestant);
        }
        for (std::size_t round = 0; round < kMostSamples && !order.empty(); ++round) {
            if (round >= kFewestSamples && millisecondsSince(begin) > shareMs)
                return;
            for (auto* contestant : order)
                sample(*contestant, round, begin, shareMs);
            std::reverse(order.begin(), order.end());
        }
    }

    /// What is slow has fewer samples, at least one.
    void sample(Contestant& contestant, std::size_t round, Clock::time_point begin, double shareMs)
    {
        const bool tooSlow = contestant.fastestMs * static_cast<double>(kFewestSamples) > shareMs;
        if (!contestant.running || (round > 0 && tooSlow && millisecondsSince(begin) > shareMs))
            return;
        try {
            const int inner = contestant.inner;
            const double ms = m_timer.milliseconds([&] { execute(contestant, inner); });
            contestant.samples.push_back(ms / inner);
            contestant.fastestMs = std::min(contestant.fastestMs, ms / inner);
        } catch (const std::exception& error) {
            giveUp(contestant, wordsOf(error));
        }
    }

    void conclude(Contestant& contestant, const CheckShape& shape)
    {
        const auto found = quartiles(contestant.samples);
        if (!found || !(found->median > 0))
            return;
        CheckPoint point;
        point.shape = shape.text;
        point.amount = amountOf(shape, contestant.cell.format);
        point.ms = *found;
        point.repeats = static_cast<std::int64_t>(contestant.samples.size()) * contestant.inner;
        contestant.cell.points.push_back(std::move(point));
    }

    /// Ratios and errors of the size just measured.
    void finishSize()
    {
        const auto& reference = contestant(CheckFormat::Fp64);
        const auto& baseline = contestant(CheckFormat::Fp32);
        for (auto& each : m_contestants) {
            if (!each.running || each.cell.points.empty())
                continue;
            auto& point = each.cell.points.back();
            if (baseline.running && !baseline.cell.points.empty())
                point.ratio = point.ms.median / baseline.cell.points.back().ms.median;
            if (reference.running && each.result.defined())
                each.cell.maxError = errorIfThereIsRoom(each.result, reference.result);
            // fp64 is there as the reference of accuracy: every device of ours has it.
            if (each.cell.format == CheckFormat::Fp64)
                each.cell.formatClass = FormatClass::Native;
            else if (point.ratio)
                each.cell.formatClass = classifyFormat(*point.ratio, each.cell.hardwareFlag);
            else if (each.cell.formatClass == FormatClass::Unsupported)
                each.cell.formatClass = FormatClass::Emulated;
        }
        for (auto& each : m_contestants) {
            each.operation.reset();
            each.result.reset();
        }
    }

    /// Comparing takes memory of its own.
    static std::optional<double> errorIfThereIsRoom(
        const at::Tensor& result, const at::Tensor& reference)
    {
        try {
            return largestError(result, reference);
        } catch (const std::exception&) {
            return std::nullopt;
        }
    }

    static double largestError(const at::Tensor& result, const at::Tensor& reference)
    {
        const auto exact = reference.to(at::kDouble);
        const auto scale = exact.abs().max().item<double>();
        return (result.to(at::kDouble) - exact).abs().max().item<double>()
            / (scale > 0 ? scale : 1.0);
    }

    static double amountOf(const CheckShape& shape, CheckFormat format)
    {
        return shape.operations > 0 ? shape.operations
                                    : static_cast<double>(shape.values)
                * static_cast<double>(c10::elementSize(scalarTypeOf(format)));
    }

    Contestant& contestant(CheckFormat format)
    {
        return m_contestants[static_cast<std::size_t>(format)];
    }

    void giveUp(Contestant& contestant, const std::string& words) const
    {
        contestant.running = false;
        // A larger size that cannot run (memory) leaves the smaller ones' figures standing.
        if (contestant.cell.points.empty())
            contestant.cell.reason = fmt::format("{}: {}", operatorOf(m_work), words);
        else
            contestant.cell.cutShort = true;
    }

    CheckWork m_work;
    at::Device m_device;
    CheckTimer& m_timer;
    double m_budgetMs;
    double m_spentMs = 0;
    std::vector<Contestant> m_contestants; ///< by format
};

} // namespace

std::vector<CheckCell> probeWork(CheckWork work, c10::Device device, CheckTimer& timer,
    double budgetMs, const std::function<bool(CheckFormat)>& computesIn)
{
    return WorkProbe(work, device, timer, budgetMs, computesIn).run();
}

} // namespace mantissa
