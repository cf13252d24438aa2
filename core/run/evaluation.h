// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/live_buffer.h"
#include "core/run/run_event.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mantissa {

/// One validation of a run, as far as its worker sent it.
struct Evaluation {
    std::int64_t step = 0;
    std::optional<double> metric;
    std::optional<double> loss;
    std::int64_t nonFiniteRows = 0; ///< rows with an output that is NaN or infinite

    /// Whether metric, loss and every output are finite.
    bool isFinite() const;
};

/// What the figures of a run's validations mean.
struct EvaluationWords {
    std::string metric = "accuracy"; ///< "accuracy" is a share, anything else a plain number
    std::int64_t rows = 0; ///< looked at in a validation; 0 = not known
};
/// From the `environment` of a worker's ready, in which anything may stand.
EvaluationWords evaluationWords(const nlohmann::json& environment);

/// The validations of one line of a worker; none where it holds no validation.
std::vector<Evaluation> evaluationsOf(const Points& points);
/// Those of a stored run, joined by step; each series may be empty.
std::vector<Evaluation> evaluationsOf(
    const SeriesSlice& metric, const SeriesSlice& loss, const SeriesSlice& nonFiniteRows);

/// "accuracy 92.5 %, loss 0.2312".
std::string figuresText(const Evaluation& evaluation, const EvaluationWords& words);
/// "40 of 40 rows have outputs that are NaN or infinite and count as wrong; accuracy 0.0 %, loss
/// NaN": of one that is not finite.
std::string troubleText(const Evaluation& evaluation, const EvaluationWords& words);

/// What a run's validations come to.
struct EvaluationHealth {
    std::int64_t count = 0;
    std::int64_t nonFinite = 0; ///< of them
    std::optional<Evaluation> first; ///< that is not finite
    bool toTheEnd = false; ///< none after `first` is finite
};
EvaluationHealth healthOf(const std::vector<Evaluation>& evaluations);
/// "not finite since step 20 (3 of 3 validations)", or "at 2 of 5 validations, ..."; empty if all
/// are finite.
std::string healthText(const EvaluationHealth& health);

/// The one at `step`; nullptr if there is none.
const Evaluation* evaluationAt(const std::vector<Evaluation>& evaluations, std::int64_t step);

} // namespace mantissa
