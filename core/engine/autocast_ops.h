// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace mantissa {

/// What autocast does with an operator's floating arguments.
enum class CastRule {
    LowPrecision, ///< cast to the region's type
    Fp32, ///< cast to fp32
    Fp32Output, ///< arguments stay; dtype=fp32 is filled in where the caller gave none
    Promote, ///< cast to the widest type among them
    Banned, ///< an error that says what to use instead
    Untouched, ///< no rule: the operator runs in the types it is given
    Unknown, ///< a rule exists, and could not be found out here
};

/// How a rule is known.
enum class RuleSource {
    Table, ///< ATen's own lists, as its header gives them
    Executed, ///< by running the operator under autocast and looking at the result's type
    Registry, ///< the dispatcher has no autocast kernel for it
    Source, ///< ATen registers it outside its lists; taken from its source
};

struct KnownRule {
    CastRule rule = CastRule::Untouched;
    RuleSource source = RuleSource::Registry;
};

struct OperatorRules {
    std::string name; ///< as ATen's, with the overload: "conv2d.padding"; own ones with namespace
    KnownRule cpu;
    KnownRule cuda;
};

/// Words of the command line: "low precision", "executed", ...
std::string_view toString(CastRule rule);
std::string_view toString(RuleSource source);

/// Every operator that has an autocast kernel on the CPU or on CUDA, and some well-known ones that
/// have none, sorted by name. Runs each CPU operator on tiny inputs: about a second. Needs no CUDA
/// device. Main or training thread; leaves no autocast region behind.
std::vector<OperatorRules> operatorRules();

/// {"torch_version", "operators": [{"name", "cpu": {"rule", "known_by"}, "cuda": {...}}]}.
nlohmann::ordered_json operatorRulesToJson(const std::vector<OperatorRules>& rules);

} // namespace mantissa
