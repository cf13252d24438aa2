// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/autocast_ops.h"

#include "core/engine/autocast_probe.h"
#include "core/engine/bias_gelu.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <torch/headeronly/version.h>

namespace mantissa {

namespace {

// ATen's lists name an operator as (op) or (op, overload).
#define MANTISSA_OPERATOR1(op) #op
#define MANTISSA_OPERATOR2(op, overload) #op "." #overload
#define MANTISSA_OPERATOR(...)                                                                     \
    C10_CONCATENATE(MANTISSA_OPERATOR, _KERNEL_OVERLOAD_NARG(__VA_ARGS__, policy))(__VA_ARGS__)
#define MANTISSA_LOW(...) {MANTISSA_OPERATOR(__VA_ARGS__), {CastRule::LowPrecision, kTable}},
#define MANTISSA_FP32(...) {MANTISSA_OPERATOR(__VA_ARGS__), {CastRule::Fp32, kTable}},
#define MANTISSA_OUTPUT(...) {MANTISSA_OPERATOR(__VA_ARGS__), {CastRule::Fp32Output, kTable}},
#define MANTISSA_PROMOTE(...) {MANTISSA_OPERATOR(__VA_ARGS__), {CastRule::Promote, kTable}},
#define MANTISSA_APPEND(function, name, registered, redispatched, policy)                          \
    {name, {CastRule::Fp32Output, kTable}},

std::map<std::string, KnownRule> cudaRules()
{
    constexpr auto kTable = RuleSource::Table;
    constexpr auto kSource = RuleSource::Source;
    return {
        AT_FORALL_LOWER_PRECISION_FP(MANTISSA_LOW) AT_FORALL_FP32(MANTISSA_FP32)
            AT_FORALL_FP32_SET_OPT_DTYPE(MANTISSA_OUTPUT) AT_FORALL_PROMOTE(MANTISSA_PROMOTE)
                AT_FORALL_DIFFERENT_REDISPATCH_SIGNATURE(MANTISSA_APPEND)
        // Registered outside the lists.
        {"cudnn_convolution", {CastRule::LowPrecision, kSource}},
        {"cudnn_convolution_transpose", {CastRule::LowPrecision, kSource}},
        {"_cudnn_rnn", {CastRule::LowPrecision, kSource}},
        {"binary_cross_entropy", {CastRule::Banned, kSource}},
        {"mantissa::bias_gelu", {CastRule::LowPrecision, kSource}},
    };
}

/// On no list, and looked up most often.
constexpr std::array kWellKnown{"add.Tensor", "sub.Tensor", "mul.Tensor", "div.Tensor",
    "where.self", "mean", "var", "std", "relu", "gelu", "silu", "tanh", "sigmoid", "dropout",
    "embedding", "batch_norm", "max_pool2d", "avg_pool2d", "clamp", "index_select",
    "masked_fill.Scalar", "einsum", "lstm.input", "add_.Tensor"};

/// Some operators are deprecated or experimental and say so.
struct Quiet : c10::WarningHandler {
    void process(const c10::Warning&) override { }
};

std::string ruleName(const c10::OperatorName& name)
{
    constexpr std::string_view kAten = "aten::";
    auto text = name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
    return text.starts_with(kAten) ? text.substr(kAten.size()) : text;
}

std::set<std::string> withKernel(c10::DispatchKey key)
{
    auto& dispatcher = c10::Dispatcher::singleton();
    std::set<std::string> names;
    for (const auto& name : dispatcher.getAllOpNames()) {
        const auto handle = dispatcher.findOp(name);
        if (handle && handle->hasKernelForDispatchKey(key))
            names.insert(ruleName(name));
    }
    return names;
}

} // namespace

std::string_view toString(CastRule rule)
{
    switch (rule) {
    case CastRule::LowPrecision:
        return "low precision";
    case CastRule::Fp32:
        return "fp32";
    case CastRule::Fp32Output:
        return "set dtype";
    case CastRule::Promote:
        return "promote";
    case CastRule::Banned:
        return "banned";
    case CastRule::Untouched:
        return "untouched";
    case CastRule::Unknown:
        break;
    }
    return "unknown";
}

std::string_view toString(RuleSource source)
{
    switch (source) {
    case RuleSource::Table:
        return "table";
    case RuleSource::Executed:
        return "executed";
    case RuleSource::Registry:
        return "registry";
    case RuleSource::Source:
        break;
    }
    return "source";
}

std::vector<OperatorRules> operatorRules()
{
    registerBiasGelu();
    Quiet quiet;
    const c10::WarningUtils::WarningHandlerGuard handler(&quiet);
    const auto onCpu = withKernel(c10::DispatchKey::AutocastCPU);
    const auto onCuda = withKernel(c10::DispatchKey::AutocastCUDA);
    const auto known = cudaRules();
    auto names = onCpu;
    names.insert(onCuda.begin(), onCuda.end());
    names.insert(kWellKnown.begin(), kWellKnown.end());
    std::vector<OperatorRules> all;
    for (const auto& name : names) {
        OperatorRules rules{name, {}, {}};
        if (onCpu.contains(name) || !recipeOf(name).empty())
            rules.cpu = {probeOnCpu(name, onCpu.contains(name)), RuleSource::Executed};
        if (const auto found = known.find(name); found != known.end() && onCuda.contains(name))
            rules.cuda = found->second;
        else if (onCuda.contains(name))
            rules.cuda = {CastRule::Unknown, RuleSource::Registry};
        all.push_back(std::move(rules));
    }
    return all;
}

nlohmann::ordered_json operatorRulesToJson(const std::vector<OperatorRules>& rules)
{
    const auto json = [](const KnownRule& known) {
        return nlohmann::ordered_json{
            {"rule", toString(known.rule)}, {"known_by", toString(known.source)}};
    };
    auto operators = nlohmann::ordered_json::array();
    for (const auto& one : rules)
        operators.push_back({{"name", one.name}, {"cpu", json(one.cpu)}, {"cuda", json(one.cuda)}});
    return {{"torch_version", TORCH_VERSION}, {"operators", std::move(operators)}};
}

} // namespace mantissa
