// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/live/validation_marks.h"

#include "core/run/series_info.h"
#include "ui/theme/value_text.h"

#include <QObject>

namespace mantissa::ui {

std::vector<Evaluation> badValidations(const RunTrace& trace, std::size_t& from)
{
    std::vector<Evaluation> list;
    const TraceSeries& metric = trace.series(series::kMetric);
    for (; from < metric.x.size(); ++from) {
        const double step = metric.x[from];
        const auto rows = trace.valueAt(series::kValidationNonFinite, step).value_or(0);
        const Evaluation evaluation{static_cast<std::int64_t>(step), metric.y[from],
            trace.valueAt(series::kMetricLoss, step), static_cast<std::int64_t>(rows)};
        if (!evaluation.isFinite())
            list.push_back(evaluation);
    }
    return list;
}

QString badValidationText(const RunTrace& trace, const QString& name, const Evaluation& evaluation)
{
    const auto words = evaluationWords(trace.status().environment);
    return QObject::tr("%1, step %2: validation not finite, %3")
        .arg(name, formatCount(static_cast<double>(evaluation.step)),
            QString::fromStdString(troubleText(evaluation, words)));
}

} // namespace mantissa::ui
