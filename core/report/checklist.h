// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/evaluation.h"
#include "core/storage/run_store.h"

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The questions one asks of a run whose numbers went wrong or that is not faster, each answered
/// from what is stored. Pure, any thread.
namespace mantissa {

enum class CheckAnswer {
    Found, ///< this is the case: look here
    NotFound,
    CannotTell, ///< what would tell is not stored
};
std::string_view toString(CheckAnswer answer);

struct CheckResult {
    std::string_view list; ///< "nan" or "speed"
    std::string_view id; ///< stable word, e.g. "skips"
    std::string_view question;
    CheckAnswer answer = CheckAnswer::CannotTell;
    std::string evidence; ///< numbers and where they come from; why not, if it cannot be told
    std::string advice; ///< only where found
};

struct ChecklistInput {
    RunRecord run;
    std::map<std::string, SeriesSlice> series; ///< by name
    std::vector<LifecycleEvent> events;
    std::optional<RunRecord> fp32Twin; ///< same comparison and repetition, in fp32 or tf32
    std::vector<Evaluation> twinEvaluations; ///< of fp32Twin
};

/// The first 32-bit run of the same comparison and repetition; nothing if there is none.
[[nodiscard]] Result<std::optional<RunRecord>> fp32TwinOf(
    const RunStore& store, const RunRecord& run);
/// The validations of a stored run.
[[nodiscard]] Result<std::vector<Evaluation>> readEvaluations(
    const RunStore& store, std::int64_t run);
/// Reads all that a checklist needs.
[[nodiscard]] Result<ChecklistInput> readChecklistInput(const RunStore& store, std::int64_t run);

/// All checks, in the order to go through them.
std::vector<CheckResult> checklist(const ChecklistInput& input);
std::vector<CheckResult> nanChecklist(const ChecklistInput& input);
std::vector<CheckResult> speedChecklist(const ChecklistInput& input);

/// {"run", "checks": [{"list", "id", "question", "answer", "evidence", "advice"}]}
nlohmann::json toJson(std::int64_t run, const std::vector<CheckResult>& checks);

} // namespace mantissa
