// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/storage/run_store.h"
#include "ui/theme/value_text.h"

#include <QString>
#include <Qt>

/// What the run table shows: one function per question, each taking a run and a column.
/// Pure, any thread.
namespace mantissa::ui {

enum class RunColumn {
    Id,
    Experiment,
    Variant,
    Precision,
    State,
    Started,
    Duration,
    Steps,
    Loss,
    Metric,
    StepMs,
    SamplesPerSecond,
    PeakMemory,
    Scale,
    Tags,
    Note,
    Count
};
inline constexpr int kRunColumns = static_cast<int>(RunColumn::Count);

/// A value for sorting and filtering. Numbers in the column's unit: ms, samples/s, MiB, seconds
/// (duration), steps attempted (steps); Unix ms for Started.
struct RunValue {
    /// Order of the classes, the same for ascending and descending: NaN stands after all numbers,
    /// what is missing stands after that.
    enum class Class { Value, NaN, Missing };
    Class kind = Class::Missing;
    double number = 0;
    QString text; ///< lower case; empty for numbers

    bool isText() const { return !text.isEmpty(); }
};

QString headerText(RunColumn column);
QString headerTip(RunColumn column);
bool isNumeric(RunColumn column);

RunValue value(const RunRecord& run, RunColumn column);
/// As shown: "131,072 (2¹⁷)", "1,980 + 7"; a word where nothing was measured.
QString cellText(const RunRecord& run, RunColumn column);
/// The whole of it where the cell shortens; empty if the cell says all.
QString cellTip(const RunRecord& run, RunColumn column);

/// Whether `left` stands above `right` in a table sorted in `order`.
bool standsBefore(const RunValue& left, const RunValue& right, Qt::SortOrder order);

/// Training run time in ms: to its end, to now for one that is on; nothing if it never started.
std::optional<double> durationMs(const RunRecord& run);

/// Whether the table shows the two the same.
bool sameRow(const RunRecord& left, const RunRecord& right);

} // namespace mantissa::ui
