// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/evaluation.h"

#include "core/base/human_text.h"
#include "core/run/series_info.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace mantissa {

namespace {

/// Joins values by their step.
class Joined {
public:
    void add(std::string_view name, double step, double value)
    {
        auto& evaluation = m_steps[step];
        evaluation.step = static_cast<std::int64_t>(step);
        if (name == series::kMetric)
            evaluation.metric = value;
        else if (name == series::kMetricLoss)
            evaluation.loss = value;
        else if (std::isfinite(value))
            evaluation.nonFiniteRows = static_cast<std::int64_t>(value);
    }

    std::vector<Evaluation> take() const
    {
        std::vector<Evaluation> list;
        for (const auto& [step, evaluation] : m_steps)
            list.push_back(evaluation);
        return list;
    }

private:
    std::map<double, Evaluation> m_steps;
};

bool isOfValidation(std::string_view name)
{
    return name == series::kMetric || name == series::kMetricLoss
        || name == series::kValidationNonFinite;
}

std::string metricText(double value, const EvaluationWords& words)
{
    if (words.metric == "accuracy")
        return fmt::format(
            "{} {}", words.metric, std::isfinite(value) ? percentText(value) : "NaN");
    return fmt::format("{} {}", words.metric, significantText(value, 4));
}

} // namespace

bool Evaluation::isFinite() const
{
    return nonFiniteRows == 0 && std::isfinite(metric.value_or(0))
        && std::isfinite(loss.value_or(0));
}

EvaluationWords evaluationWords(const nlohmann::json& environment)
{
    EvaluationWords words;
    if (!environment.is_object())
        return words;
    const auto rows = environment.find("validation_rows");
    if (rows != environment.end() && rows->is_number_integer())
        words.rows = rows->get<std::int64_t>();
    const nlohmann::json::json_pointer metric("/model/metric");
    if (environment.contains(metric) && environment[metric].is_string())
        words.metric = environment[metric].get<std::string>();
    return words;
}

std::vector<Evaluation> evaluationsOf(const Points& points)
{
    Joined joined;
    if (points.axis != Axis::Step)
        return {};
    for (const auto& [name, values] : points.series) {
        if (!isOfValidation(name))
            continue;
        for (std::size_t i = 0; i < std::min(values.size(), points.x.size()); ++i)
            joined.add(name, points.x[i], values[i]);
    }
    return joined.take();
}

std::vector<Evaluation> evaluationsOf(
    const SeriesSlice& metric, const SeriesSlice& loss, const SeriesSlice& nonFiniteRows)
{
    Joined joined;
    const std::pair<std::string_view, const SeriesSlice*> all[] = {{series::kMetric, &metric},
        {series::kMetricLoss, &loss}, {series::kValidationNonFinite, &nonFiniteRows}};
    for (const auto& [name, slice] : all) {
        for (std::size_t i = 0; i < std::min(slice->x.size(), slice->y.size()); ++i)
            joined.add(name, slice->x[i], slice->y[i]);
    }
    return joined.take();
}

std::string figuresText(const Evaluation& evaluation, const EvaluationWords& words)
{
    std::string text = evaluation.metric ? metricText(*evaluation.metric, words) : "";
    if (evaluation.loss)
        text += (text.empty() ? "loss " : ", loss ") + lossText(*evaluation.loss);
    return text;
}

std::string troubleText(const Evaluation& evaluation, const EvaluationWords& words)
{
    const auto figures = figuresText(evaluation, words);
    if (evaluation.nonFiniteRows == 0)
        return figures;
    const auto of = words.rows > 0 ? fmt::format(" of {}", groupedText(words.rows)) : "";
    const bool one = evaluation.nonFiniteRows == 1;
    return fmt::format("{}{} row{} {} outputs that are NaN or infinite{}{}{}",
        groupedText(evaluation.nonFiniteRows), of, one && of.empty() ? "" : "s",
        one ? "has" : "have",
        words.metric == "accuracy" ? (one ? " and counts as wrong" : " and count as wrong") : "",
        figures.empty() ? "" : "; ", figures);
}

EvaluationHealth healthOf(const std::vector<Evaluation>& evaluations)
{
    EvaluationHealth health;
    for (const auto& evaluation : evaluations) {
        ++health.count;
        const bool bad = !evaluation.isFinite();
        health.nonFinite += bad ? 1 : 0;
        if (bad && !health.first)
            health.first = evaluation;
        health.toTheEnd = bad && (health.toTheEnd || health.nonFinite == 1);
    }
    return health;
}

std::string healthText(const EvaluationHealth& health)
{
    if (!health.first)
        return {};
    return fmt::format("not finite {} step {} ({} of {} validations)",
        health.toTheEnd ? "since" : "first at", groupedText(health.first->step),
        groupedText(health.nonFinite), groupedText(health.count));
}

const Evaluation* evaluationAt(const std::vector<Evaluation>& evaluations, std::int64_t step)
{
    const auto found = std::ranges::find(evaluations, step, &Evaluation::step);
    return found == evaluations.end() ? nullptr : &*found;
}

} // namespace mantissa
