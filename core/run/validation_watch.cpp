// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/validation_watch.h"

#include "core/base/human_text.h"
#include "core/base/number_text.h"
#include "core/config/config_io.h"

#include <fmt/format.h>
#include <utility>

namespace mantissa {

namespace {

void put(nlohmann::json& json, const char* key, const std::optional<double>& value)
{
    if (value)
        json[key] = numberToJson(*value);
}

nlohmann::json evidenceOf(const Evaluation& evaluation, const EvaluationWords& words)
{
    nlohmann::json json{{"step", evaluation.step}, {"non_finite_rows", evaluation.nonFiniteRows}};
    if (words.rows > 0)
        json["rows"] = words.rows;
    put(json, "metric", evaluation.metric);
    put(json, "validation_loss", evaluation.loss);
    return json;
}

void addBaseline(nlohmann::json& evidence, const Evaluation& baseline, const std::string& name)
{
    evidence["baseline"] = name;
    put(evidence, "baseline_metric", baseline.metric);
    put(evidence, "baseline_validation_loss", baseline.loss);
    evidence["baseline_non_finite_rows"] = baseline.nonFiniteRows;
}

/// "fp32 at the same step: accuracy 92.5 %, loss 0.2312."
std::string baselineText(
    const Evaluation& baseline, const EvaluationWords& words, const std::string& name)
{
    return fmt::format("{} at the same step: {}.", name,
        baseline.isFinite() ? figuresText(baseline, words) + ", all finite"
                            : "not finite either, " + troubleText(baseline, words));
}

} // namespace

std::string ValidationWatch::hypothesis(const Evaluation* baseline) const
{
    if (baseline && !baseline->isFinite())
        return "the precision is not the cause: look at the data, the weights and the learning "
               "rate.";
    if (!m_trainingFinite)
        return "the loss of the training is not finite either: see which tensor was first there.";
    if (m_precision != Precision::Fp16 && m_precision != Precision::Bf16)
        return "the validation data, the weights or running statistics are not finite.";
    const auto* way = m_precision == Precision::Fp16 ? "bf16 has the range of fp32, or name the "
                                                       "module in model.keep_fp32."
                                                     : "Name the module in model.keep_fp32.";
    return baseline
        ? fmt::format("a value leaves the range of {} in evaluation: samples or running statistics "
                      "that no training step had. {}",
            toString(m_precision), way)
        : fmt::format("a value leaves the range of {}, or data or weights are not finite. A run of "
                      "the same seed in fp32 tells which.",
            toString(m_precision));
}

std::optional<Alert> ValidationWatch::look(
    const Evaluation& evaluation, const ValidationWatch* baseline, const std::string& name)
{
    m_evaluations.push_back(evaluation);
    const bool bad = !evaluation.isFinite();
    const bool begins = bad && !std::exchange(m_bad, bad);
    m_bad = bad;
    if (!begins || ++m_alerts > Watchers::kMostOfAKind)
        return std::nullopt;
    const auto* theirs =
        baseline ? evaluationAt(baseline->m_evaluations, evaluation.step) : nullptr;
    m_waiting = baseline && !theirs ? std::optional(evaluation) : std::nullopt;
    Alert alert;
    alert.kind = alert_kind::kNonFiniteValidation;
    alert.text = fmt::format("The validation of step {} is not finite: {}.",
        groupedText(evaluation.step), troubleText(evaluation, m_words));
    alert.evidence = evidenceOf(evaluation, m_words);
    alert.hypothesis = hypothesis(theirs);
    if (theirs) {
        alert.text += " " + baselineText(*theirs, baseline->m_words, name);
        addBaseline(alert.evidence, *theirs, name);
    }
    return alert;
}

std::optional<Alert> ValidationWatch::compare(
    const ValidationWatch& baseline, const std::string& name)
{
    const auto* theirs =
        m_waiting ? evaluationAt(baseline.m_evaluations, m_waiting->step) : nullptr;
    if (!theirs)
        return std::nullopt;
    Alert alert;
    alert.kind = alert_kind::kNonFiniteValidation;
    alert.text = fmt::format("The validation of step {} was not finite. {}",
        groupedText(m_waiting->step), baselineText(*theirs, baseline.m_words, name));
    alert.hypothesis = hypothesis(theirs);
    alert.evidence = evidenceOf(*m_waiting, m_words);
    addBaseline(alert.evidence, *theirs, name);
    m_waiting.reset();
    return alert;
}

} // namespace mantissa
