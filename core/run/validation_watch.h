// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/evaluation.h"
#include "core/run/watchers.h"

#include <optional>
#include <string>
#include <vector>

namespace mantissa {

/// Watches the validations of one run: an alert where they begin to be not finite, with what the
/// 32-bit run of the same seed had at that step. Pure; not shared by threads.
class ValidationWatch {
public:
    explicit ValidationWatch(Precision precision)
        : m_precision(precision)
    {
    }

    void setWords(EvaluationWords words) { m_words = std::move(words); }
    /// Whether the last loss of the training was finite.
    void setTrainingFinite(bool finite) { m_trainingFinite = finite; }

    /// The next one. `baseline`: the 32-bit run, nullptr if there is none; `name` is its variant's.
    std::optional<Alert> look(
        const Evaluation& evaluation, const ValidationWatch* baseline, const std::string& name);
    /// The 32-bit run has come to a step: what it has where an alert was raised before it had.
    std::optional<Alert> compare(const ValidationWatch& baseline, const std::string& name);

private:
    std::string hypothesis(const Evaluation* baseline) const;

    Precision m_precision;
    EvaluationWords m_words;
    std::vector<Evaluation> m_evaluations;
    std::optional<Evaluation> m_waiting; ///< told without the 32-bit run's value
    bool m_bad = false;
    bool m_trainingFinite = true;
    int m_alerts = 0;
};

} // namespace mantissa
