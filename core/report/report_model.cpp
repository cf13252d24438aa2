// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/report_model.h"

#include "core/base/human_text.h"
#include "core/base/version.h"
#include "core/run/system_events.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <fmt/format.h>
#include <map>
#include <set>

namespace mantissa {

namespace {

/// So many events of one kind are listed one by one; more become one line.
constexpr std::size_t kListedOfAKind = 20;

std::string dateText(std::int64_t unixMs)
{
    const std::time_t seconds = unixMs / 1000;
    std::tm time{};
    gmtime_r(&seconds, &time);
    return fmt::format("{:04}-{:02}-{:02} {:02}:{:02} UTC", time.tm_year + 1900, time.tm_mon + 1,
        time.tm_mday, time.tm_hour, time.tm_min);
}

std::string colourOf(const RunRecord& run, std::map<std::string, std::string>& variants,
    std::set<std::string>& precisions)
{
    const auto key = fmt::format("{}/{}", run.comparisonId, run.variant);
    if (const auto known = variants.find(key); known != variants.end())
        return known->second;
    static constexpr std::array<std::string_view, 4> kKnown{"fp32", "tf32", "fp16", "bf16"};
    static constexpr std::array<const char*, 3> kOthers{"k-5", "k-6", "k-7"};
    const bool own = std::find(kKnown.begin(), kKnown.end(), run.precision) != kKnown.end()
        && precisions.insert(run.precision).second;
    const auto others = variants.size() - precisions.size() + (own ? 1 : 0);
    const auto colour = own ? "k-" + run.precision : kOthers[others % kOthers.size()];
    return variants[key] = colour;
}

/// Plan order within a comparison, comparisons in the order asked for.
Result<std::vector<RunRecord>> readRuns(const RunStore& store, const std::vector<std::int64_t>& ids)
{
    std::vector<RunRecord> runs;
    std::map<std::int64_t, std::size_t> order;
    for (const auto id : ids) {
        auto run = store.run(id);
        if (!run)
            return tl::unexpected(run.error());
        order.try_emplace(run->comparisonId, order.size());
        runs.push_back(std::move(*run));
    }
    std::stable_sort(runs.begin(), runs.end(), [&](const RunRecord& a, const RunRecord& b) {
        return std::tuple(order[a.comparisonId], a.variantIndex, a.repetition)
            < std::tuple(order[b.comparisonId], b.variantIndex, b.repetition);
    });
    return runs;
}

std::vector<ReportColumn> toColumns(std::vector<RunRecord> runs)
{
    std::map<std::string, std::string> variants;
    std::set<std::string> precisions;
    const bool several = runs.front().comparisonId != runs.back().comparisonId;
    std::vector<ReportColumn> columns;
    for (auto& run : runs) {
        ReportColumn column;
        column.name = run.variant;
        if (run.repetition > 0)
            column.name += fmt::format(" #{}", run.repetition + 1);
        if (several)
            column.name += fmt::format(" (run {})", run.id);
        column.colour = colourOf(run, variants, precisions);
        column.run = std::move(run);
        columns.push_back(std::move(column));
    }
    return columns;
}

std::string verdictText(const std::vector<ReportColumn>& columns)
{
    int repetitions = 0;
    for (const auto& column : columns)
        repetitions = std::max(repetitions, column.run.repetition + 1);
    if (repetitions == 1) {
        return "No verdict: one repetition. Ratios show what was measured here once, not what "
               "would "
               "be measured again.";
    }
    return fmt::format("No verdict: {} repetitions stand side by side and are not judged. Ratios "
                       "show what was measured here.",
        repetitions);
}

std::vector<std::string> warningsOf(const std::vector<ReportColumn>& columns)
{
    std::vector<std::string> warnings;
    for (const auto& [run, name, colour] : columns) {
        if (const auto text = formatClassText(run); text.starts_with("emulated")) {
            warnings.push_back(fmt::format(
                "{}: {} is {} on this machine. Its speed says nothing about hardware that has it.",
                name, run.precision, text));
        }
        const auto why = run.reason.empty() ? "no reason is known" : run.reason;
        if (run.state == RunState::Stopped) {
            warnings.push_back(
                fmt::format("{} was stopped after {} steps ({}): its last figures are "
                            "from there.",
                    name, groupedText(run.stepsAttempted), why));
        } else if (!isEnd(run.state)) {
            warnings.push_back(fmt::format(
                "{} is {}: its figures are the newest so far.", name, toString(run.state)));
        } else if (run.state != RunState::Finished) {
            warnings.push_back(fmt::format("{} ended as {} after {} steps: {}.", name,
                toString(run.state), groupedText(run.stepsAttempted), why));
        }
        if (run.summary.nonFiniteLosses > 0) {
            warnings.push_back(fmt::format("{}: the loss was not finite in {} of {} steps.", name,
                groupedText(run.summary.nonFiniteLosses), groupedText(run.stepsAttempted)));
        }
        if (run.samplesLost > 0) {
            warnings.push_back(fmt::format("{}: {} points could not be stored; curves have gaps.",
                name, groupedText(run.samplesLost)));
        }
    }
    return warnings;
}

std::string stepText(const std::optional<std::int64_t>& step)
{
    return step ? groupedText(*step) : "";
}

/// Each of these tells something else: the first of them are listed however many there are.
bool isWorded(const std::string& kind)
{
    return kind == event_kind::kAlert || kind == event_kind::kNonFiniteLocated
        || kind == event_kind::kWarning || kind == event_kind::kThrottled
        || kind == event_kind::kForeignLoad;
}

/// All events of a kind, or one line for many.
void addEvents(
    std::vector<ReportEvent>& rows, std::size_t column, const std::vector<LifecycleEvent>& events)
{
    std::map<std::string, std::vector<const LifecycleEvent*>> byKind;
    for (const auto& event : events)
        byKind[event.kind].push_back(&event);
    for (const auto& event : events) {
        const auto& same = byKind[event.kind];
        const bool early = isWorded(event.kind)
            && std::ranges::find(same, &event) - same.begin()
                < static_cast<std::ptrdiff_t>(kListedOfAKind);
        if (same.size() <= kListedOfAKind || early) {
            rows.push_back({column, durationText(event.timeS * 1000), stepText(event.step),
                event.kind, event.message});
        } else if (same.front() == &event) {
            rows.push_back({column, durationText(event.timeS * 1000),
                fmt::format("{} to {}", stepText(same.front()->step), stepText(same.back()->step)),
                event.kind, fmt::format("{} times", groupedText(std::int64_t(same.size())))});
        } else if (isWorded(event.kind) && same.back() == &event) {
            rows.push_back({column, durationText(event.timeS * 1000), stepText(event.step),
                event.kind,
                fmt::format("{} more",
                    groupedText(std::ssize(same) - static_cast<std::ptrdiff_t>(kListedOfAKind)))});
        }
    }
}

Result<std::vector<ReportEvent>> eventRows(
    const RunStore& store, const std::vector<ReportColumn>& columns)
{
    std::vector<ReportEvent> rows;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        auto events = store.events(columns[i].run.id);
        if (!events)
            return tl::unexpected(events.error());
        // Blocks are the schedule at work, not news.
        std::erase_if(*events,
            [](const LifecycleEvent& event) { return event.kind == event_kind::kBlockStarted; });
        addEvents(rows, i, *events);
    }
    return rows;
}

} // namespace

Result<ReportModel> buildReport(const RunStore& store, const std::vector<std::int64_t>& ids)
{
    if (ids.empty())
        return fail("a report needs at least one run");
    auto runs = readRuns(store, ids);
    if (!runs)
        return tl::unexpected(runs.error());
    const auto comparison = store.comparison(runs->front().comparisonId);
    if (!comparison)
        return tl::unexpected(comparison.error());

    ReportModel model;
    model.columns = toColumns(std::move(*runs));
    auto charts = buildCharts(store, model.columns);
    if (!charts)
        return tl::unexpected(charts.error());
    auto system = systemRows(store, model.columns);
    if (!system)
        return tl::unexpected(system.error());
    const auto loads = loadWarnings(store, model.columns);
    if (!loads)
        return tl::unexpected(loads.error());
    auto events = eventRows(store, model.columns);
    if (!events)
        return tl::unexpected(events.error());
    // First: no other figure of such a run means anything without it.
    auto warnings = validationWarnings(store, model.columns);
    if (!warnings)
        return tl::unexpected(warnings.error());

    model.title = comparison->experiment;
    model.description = comparison->description;
    model.subtitle = fmt::format("{}, {} {}, Mantissa {}", dateText(comparison->createdMs),
        model.columns.size(), model.columns.size() == 1 ? "run" : "runs", kVersion);
    model.verdict = verdictText(model.columns);
    model.warnings = std::move(*warnings);
    const auto others = warningsOf(model.columns);
    model.warnings.insert(model.warnings.end(), others.begin(), others.end());
    model.warnings.insert(model.warnings.end(), loads->begin(), loads->end());
    model.metrics = metricRows(model.columns);
    model.system = std::move(*system);
    model.charts = std::move(*charts);
    model.settings = settingFacts(model.columns);
    model.environment = environmentFacts(model.columns);
    model.events = std::move(*events);
    return model;
}

} // namespace mantissa
