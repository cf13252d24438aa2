// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/run_columns.h"

#include "core/base/human_text.h"

#include <QDateTime>
#include <QStringList>
#include <array>
#include <cmath>
#include <tuple>

namespace mantissa::ui {

namespace {

struct ColumnInfo {
    const char* header;
    const char* tip;
    bool numeric;
};

constexpr std::array<ColumnInfo, kRunColumns> kColumns{{
    {"Run", "Number of the run in the store", true},
    {"Experiment", "Name of the experiment", false},
    {"Variant", "Name of the variant; the baseline is the first of its experiment", false},
    {"Precision", "fp32, tf32, bf16 or fp16", false},
    {"State", "How the run ended, or where it is; the reason is in the tooltip", false},
    {"Started", "When training started, in local time", true},
    {"Duration", "From start to end, pauses included", true},
    {"Steps", "Optimizer steps: applied + skipped because found_inf was set", true},
    {"Loss", "Training loss of the last step", true},
    {"Validation", "Last validation accuracy", true},
    {"Step, ms", "Median step time after warm-up", true},
    {"Samples/s", "Median throughput after warm-up", true},
    {"Peak, MiB", "Largest peak memory of a step after the first one", true},
    {"Loss scale", "Loss scale used in the last step; none without a scaler", true},
    {"Tags", "Words of your own; filter them with tag:WORD", false},
    {"Note", "Text of your own", false},
}};

const ColumnInfo& info(RunColumn column)
{
    return kColumns.at(static_cast<std::size_t>(column));
}

RunValue number(std::optional<double> value, double unit = 1.0)
{
    if (!value)
        return {};
    if (std::isnan(*value))
        return {RunValue::Class::NaN, 0, {}};
    return {RunValue::Class::Value, *value / unit, {}};
}

RunValue text(const std::string& value)
{
    if (value.empty())
        return {};
    return {RunValue::Class::Value, 0, toQString(value).toLower()};
}

std::optional<double> ifPositive(std::int64_t value)
{
    return value > 0 ? std::optional(static_cast<double>(value)) : std::nullopt;
}

QString joinedTags(const RunRecord& run)
{
    QStringList tags;
    for (const auto& tag : run.tags)
        tags.append(toQString(tag));
    return tags.join(QStringLiteral(", "));
}

std::string joined(const RunRecord& run)
{
    return joinedTags(run).toStdString();
}

QString startedText(std::int64_t startedMs)
{
    const auto when = QDateTime::fromMSecsSinceEpoch(startedMs);
    const QDate today = QDate::currentDate();
    if (when.date() == today)
        return when.toString(QStringLiteral("HH:mm:ss"));
    if (when.date().year() == today.year())
        return when.toString(QStringLiteral("d MMM HH:mm"));
    return when.toString(QStringLiteral("yyyy-MM-dd"));
}

QString firstLine(const std::string& note)
{
    return toQString(note).section(QLatin1Char('\n'), 0, 0);
}

QString words(const std::string& value)
{
    return toQString(value);
}

const std::string kNone = "none";

std::string numberText(const RunRecord& run, RunColumn column)
{
    const RunSummary& s = run.summary;
    switch (column) {
    case RunColumn::Loss:
        return s.finalLoss ? lossText(*s.finalLoss) : kNone;
    case RunColumn::Metric:
        return s.finalMetric ? percentText(*s.finalMetric) : kNone;
    case RunColumn::StepMs:
        return s.stepMs ? significantText(s.stepMs->median, 3) : kNone;
    case RunColumn::SamplesPerSecond:
        return s.samplesPerSecond ? significantText(*s.samplesPerSecond, 3) : kNone;
    case RunColumn::PeakMemory:
        return s.peakMemoryBytes ? fixedText(*s.peakMemoryBytes / kMiB, 1) : kNone;
    case RunColumn::Scale:
        return s.finalScale ? scaleText(*s.finalScale) : kNone;
    default:
        return {};
    }
}

QString stepTimeTip(const RunRecord& run)
{
    if (!run.summary.stepMs)
        return {};
    const Quartiles& q = *run.summary.stepMs;
    return QStringLiteral("median %1, quartiles %2 and %3, from %4 steps")
        .arg(words(durationText(q.median)), words(durationText(q.lower)),
            words(durationText(q.upper)), words(groupedText(run.summary.stepsMeasured)));
}

bool sameFigure(const std::optional<double>& a, const std::optional<double>& b)
{
    return a == b || (a && b && std::isnan(*a) && std::isnan(*b));
}

} // namespace

QString headerText(RunColumn column)
{
    return QString::fromUtf8(info(column).header);
}

QString headerTip(RunColumn column)
{
    return QString::fromUtf8(info(column).tip);
}

bool isNumeric(RunColumn column)
{
    return info(column).numeric;
}

std::optional<double> durationMs(const RunRecord& run)
{
    if (run.startedMs <= 0)
        return std::nullopt;
    std::int64_t end = run.endedMs;
    if (end <= 0) {
        if (isEnd(run.state))
            return std::nullopt;
        end = QDateTime::currentMSecsSinceEpoch();
    }
    return static_cast<double>(end - run.startedMs);
}

RunValue value(const RunRecord& run, RunColumn column)
{
    const RunSummary& s = run.summary;
    switch (column) {
    case RunColumn::Id:
        return number(static_cast<double>(run.id));
    case RunColumn::Experiment:
        return text(run.experiment);
    case RunColumn::Variant:
        return text(run.variant);
    case RunColumn::Precision:
        return text(run.precision);
    case RunColumn::State:
        return text(std::string(toString(run.state)));
    case RunColumn::Started:
        return number(ifPositive(run.startedMs));
    case RunColumn::Duration:
        return number(durationMs(run), 1000.0);
    case RunColumn::Steps:
        return number(static_cast<double>(run.stepsAttempted));
    case RunColumn::Loss:
        return number(s.finalLoss);
    case RunColumn::Metric:
        return number(s.finalMetric);
    case RunColumn::StepMs:
        return number(s.stepMs ? std::optional(s.stepMs->median) : std::nullopt);
    case RunColumn::SamplesPerSecond:
        return number(s.samplesPerSecond);
    case RunColumn::PeakMemory:
        return number(s.peakMemoryBytes, kMiB);
    case RunColumn::Scale:
        return number(s.finalScale);
    case RunColumn::Tags:
        return text(joined(run));
    case RunColumn::Note:
        return text(run.note);
    case RunColumn::Count:
        break;
    }
    return {};
}

QString cellText(const RunRecord& run, RunColumn column)
{
    switch (column) {
    case RunColumn::Id:
        return QString::number(run.id);
    case RunColumn::Experiment:
        return words(run.experiment);
    case RunColumn::Variant:
        return words(run.variant);
    case RunColumn::Precision:
        return words(run.precision);
    case RunColumn::State:
        return toQString(toString(run.state));
    case RunColumn::Started:
        return run.startedMs > 0 ? startedText(run.startedMs) : QStringLiteral("not started");
    case RunColumn::Duration: {
        const auto duration = durationMs(run);
        return words(duration ? durationText(*duration) : kNone);
    }
    case RunColumn::Steps:
        return words(groupedText(run.stepsApplied) + " + " + groupedText(run.stepsSkipped));
    case RunColumn::Tags:
        return joinedTags(run);
    case RunColumn::Note:
        return firstLine(run.note);
    default:
        return words(numberText(run, column));
    }
}

QString cellTip(const RunRecord& run, RunColumn column)
{
    switch (column) {
    case RunColumn::State:
        return words(run.reason);
    case RunColumn::Started:
        if (run.startedMs <= 0)
            return {};
        return QDateTime::fromMSecsSinceEpoch(run.startedMs)
            .toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
    case RunColumn::Steps:
        return words(stepsText(run.stepsApplied, run.stepsSkipped));
    case RunColumn::StepMs:
        return stepTimeTip(run);
    case RunColumn::Variant:
        return QStringLiteral("%1, repetition %2, seed %3")
            .arg(words(run.variant))
            .arg(run.repetition + 1)
            .arg(run.seed);
    case RunColumn::Note:
        return words(run.note);
    default:
        return {};
    }
}

bool standsBefore(const RunValue& left, const RunValue& right, Qt::SortOrder order)
{
    if (left.kind != right.kind)
        return left.kind < right.kind;
    const bool ascending = order == Qt::AscendingOrder;
    if (left.isText() || right.isText()) {
        const int compared = left.text.localeAwareCompare(right.text);
        return ascending ? compared < 0 : compared > 0;
    }
    return ascending ? left.number < right.number : left.number > right.number;
}

bool sameRow(const RunRecord& left, const RunRecord& right)
{
    if (!isEnd(left.state) || !isEnd(right.state))
        return false; // the duration of a run that is on changes with time alone
    const auto facts = [](const RunRecord& run) {
        return std::tie(run.state, run.reason, run.startedMs, run.endedMs, run.stepsAttempted,
            run.stepsApplied, run.stepsSkipped, run.note, run.tags, run.archived);
    };
    const RunSummary& a = left.summary;
    const RunSummary& b = right.summary;
    return facts(left) == facts(right) && sameFigure(a.finalLoss, b.finalLoss)
        && sameFigure(a.finalMetric, b.finalMetric) && sameFigure(a.finalScale, b.finalScale)
        && sameFigure(a.samplesPerSecond, b.samplesPerSecond)
        && sameFigure(a.peakMemoryBytes, b.peakMemoryBytes) && a.stepsMeasured == b.stepsMeasured;
}

} // namespace mantissa::ui
