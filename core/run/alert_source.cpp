// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/alert_source.h"

#include "core/config/config_io.h"
#include "core/run/series_info.h"
#include "core/stats/run_summary.h"

#include <algorithm>
#include <cmath>

namespace mantissa {

namespace {

/// The first steps of each block, as in stats/run_summary.h.
constexpr std::int64_t kWarmUp = 10;

const std::vector<double>* column(const Samples& samples, std::string_view name)
{
    for (const auto& series : samples.series) {
        if (series.name == name)
            return &series.values;
    }
    return nullptr;
}

double at(const std::vector<double>* values, std::size_t index)
{
    return values ? (*values)[index] : std::numeric_limits<double>::quiet_NaN();
}

bool isSixteenBit(Precision precision)
{
    return precision == Precision::Fp16 || precision == Precision::Bf16;
}

} // namespace

void AlertSource::Thinned::add(double value)
{
    if (m_seen++ % m_stride != 0 || !std::isfinite(value))
        return;
    m_values.push_back(value);
    if (m_values.size() < kMost)
        return;
    for (std::size_t i = 0; i < kMost / 2; ++i)
        m_values[i] = m_values[2 * i];
    m_values.resize(kMost / 2);
    m_stride *= 2;
}

double AlertSource::Thinned::median() const
{
    const auto found = quartiles(m_values);
    return found ? found->median : 0;
}

AlertSource::Watched::Watched(const Variant& variant)
    : watchers(variant)
    , validations(variant.precision)
{
}

AlertSource::AlertSource(const std::vector<PlannedRun>& plan, RunObserver& next)
    : m_plan(plan)
    , m_next(next)
{
    for (const auto& run : plan)
        m_watched.emplace_back(run.variant);
}

void AlertSource::onEvent(int run, const RunEvent& event)
{
    auto& watched = m_watched[static_cast<std::size_t>(run)];
    if (std::holds_alternative<Finished>(event)) {
        compare(run);
        watched.ended = true;
    }
    m_next.onEvent(run, event);
    if (const auto* samples = std::get_if<Samples>(&event)) {
        watch(run, *samples);
    } else if (const auto* points = std::get_if<Points>(&event)) {
        watch(run, *points);
    } else if (const auto* ready = std::get_if<Ready>(&event)) {
        learn(run, ready->environment);
    } else if (const auto* happened = std::get_if<LifecycleEvent>(&event)) {
        if (happened->kind == event_kind::kBlockStarted && happened->step)
            watched.blockStep = *happened->step;
        if (happened->kind == event_kind::kSettingChanged)
            watched.watchers.setScaler(happened->text("key"), happened->value("new"));
    }
}

void AlertSource::onState(int run, const RunOutcome& outcome)
{
    m_next.onState(run, outcome);
}

void AlertSource::onAllEnded()
{
    m_next.onAllEnded();
}

void AlertSource::learn(int run, const nlohmann::json& environment)
{
    if (!environment.is_object())
        return;
    auto& watched = m_watched[static_cast<std::size_t>(run)];
    watched.validations.setWords(evaluationWords(environment));
    const auto steps = environment.find("steps_per_epoch");
    if (steps != environment.end() && steps->is_number_integer())
        watched.watchers.setStepsPerEpoch(steps->get<std::int64_t>());
    const std::string precision(toString(m_plan[static_cast<std::size_t>(run)].variant.precision));
    const auto path = nlohmann::json::json_pointer("/formats/" + precision + "/class");
    if (environment.contains(path) && environment[path].is_string())
        watched.formatClass = environment[path].get<std::string>();
}

void AlertSource::watch(int run, const Samples& samples)
{
    auto& watched = m_watched[static_cast<std::size_t>(run)];
    const auto* loss = column(samples, series::kLoss);
    const auto* scale = column(samples, series::kScale);
    const auto* foundInf = column(samples, series::kFoundInf);
    const auto* gradNorm = column(samples, series::kGradNorm);
    const auto* time = column(samples, series::kTimeS);
    for (std::size_t i = 0; i < static_cast<std::size_t>(samples.count); ++i) {
        WatchedStep step;
        step.step = samples.firstStep + static_cast<std::int64_t>(i);
        step.loss = at(loss, i);
        step.hasLoss = loss != nullptr;
        step.scale = at(scale, i);
        step.gradNorm = at(gradNorm, i);
        step.skipped = foundInf && (*foundInf)[i] != 0;
        if (const double seconds = at(time, i); std::isfinite(seconds))
            watched.timeS = seconds;
        watched.lastStep = step.step;
        if (step.hasLoss)
            watched.validations.setTrainingFinite(std::isfinite(step.loss));
        for (const auto& alert : watched.watchers.step(step))
            m_next.onEvent(run, alertEvent(alert, step.step, watched.timeS));
    }
    measure(watched, samples);
}

/// The first 32-bit run of the same repetition and network; nothing for one that is it.
std::optional<int> AlertSource::baselineOf(int run) const
{
    const auto& planned = m_plan[static_cast<std::size_t>(run)];
    const auto base = std::ranges::find_if(m_plan, [&](const PlannedRun& other) {
        return other.repetition == planned.repetition && !isSixteenBit(other.variant.precision)
            && other.variant.settings.model == planned.variant.settings.model;
    });
    if (base == m_plan.end() || base->index == run || !isSixteenBit(planned.variant.precision))
        return std::nullopt;
    return base->index;
}

void AlertSource::watch(int run, const Points& points)
{
    const auto& settings = m_plan[static_cast<std::size_t>(run)].variant.settings;
    const auto base = baselineOf(run);
    const auto* theirs = base ? &m_watched[static_cast<std::size_t>(*base)].validations : nullptr;
    const auto name = base ? m_plan[static_cast<std::size_t>(*base)].variant.name : std::string();
    auto& watched = m_watched[static_cast<std::size_t>(run)];
    for (const auto& evaluation : evaluationsOf(points)) {
        const auto alert = watched.validations.look(evaluation, theirs, name);
        if (alert && settings.watch.enabled)
            m_next.onEvent(run, alertEvent(*alert, evaluation.step, watched.timeS));
    }
    tellWaiting(run);
}

/// Runs whose alert came before this one had a value at its step.
void AlertSource::tellWaiting(int baseline)
{
    const auto& base = m_watched[static_cast<std::size_t>(baseline)];
    for (const auto& planned : m_plan) {
        auto& waiting = m_watched[static_cast<std::size_t>(planned.index)];
        if (waiting.ended || !planned.variant.settings.watch.enabled
            || baselineOf(planned.index) != baseline)
            continue;
        const auto alert = waiting.validations.compare(
            base.validations, m_plan[static_cast<std::size_t>(baseline)].variant.name);
        if (alert)
            m_next.onEvent(
                planned.index, alertEvent(*alert, alert->evidence["step"], waiting.timeS));
    }
}

void AlertSource::measure(Watched& watched, const Samples& samples)
{
    const auto* speed = column(samples, series::kSamplesPerSecond);
    const auto* stepMs = column(samples, series::kStepMs);
    const auto* memory = column(samples, series::kPeakMemoryBytes);
    for (std::size_t i = 0; i < static_cast<std::size_t>(samples.count); ++i) {
        const auto step = samples.firstStep + static_cast<std::int64_t>(i);
        if (const double bytes = at(memory, i); step > 1 && std::isfinite(bytes))
            watched.peakMemoryBytes = std::max(watched.peakMemoryBytes, bytes);
        if (step < watched.blockStep + kWarmUp)
            continue;
        ++watched.measured;
        watched.samplesPerSecond.add(at(speed, i));
        watched.stepMs.add(at(stepMs, i));
    }
}

RunFigures AlertSource::figures(int run) const
{
    const auto& watched = m_watched[static_cast<std::size_t>(run)];
    const auto& variant = m_plan[static_cast<std::size_t>(run)].variant;
    return {variant.name, variant.precision, watched.measured, watched.samplesPerSecond.median(),
        watched.stepMs.median(), watched.peakMemoryBytes, watched.formatClass};
}

/// Against the first 32-bit run of the same repetition that does the same work a step.
void AlertSource::compare(int run)
{
    const auto& planned = m_plan[static_cast<std::size_t>(run)];
    const auto& settings = planned.variant.settings;
    if (!settings.watch.enabled || !isSixteenBit(planned.variant.precision))
        return;
    const auto base = std::ranges::find_if(m_plan, [&](const PlannedRun& other) {
        const auto& theirs = other.variant.settings;
        return other.repetition == planned.repetition && !isSixteenBit(other.variant.precision)
            && theirs.model == settings.model && theirs.data.batchSize == settings.data.batchSize
            && theirs.train.accumulate == settings.train.accumulate;
    });
    if (base == m_plan.end())
        return;
    const auto& watched = m_watched[static_cast<std::size_t>(run)];
    for (const auto& alert : gainAlerts(figures(base->index), figures(run), settings.watch))
        m_next.onEvent(run, alertEvent(alert, watched.lastStep, watched.timeS));
}

} // namespace mantissa
