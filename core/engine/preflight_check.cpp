// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/preflight_check.h"

#include "core/base/human_text.h"
#include "core/engine/generator_keeper.h"

#include <ATen/ATen.h>
#include <algorithm>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

namespace mantissa {

namespace {

using Level = PreflightFinding::Severity;
using Findings = std::vector<PreflightFinding>;

constexpr std::size_t kNamesShown = 8;
/// A loss of 2 times this is over 65504.
constexpr double kHighestScaleOfHalfLoss = 32768;

/// "fc1" of "fc1.weight".
std::string moduleOf(const std::string& parameter)
{
    const auto dot = parameter.rfind('.');
    return dot == std::string::npos ? std::string() : parameter.substr(0, dot);
}

/// One finding a parameter, the rest in one that counts them.
void addNamed(Findings& findings, const std::vector<const NamedTensor*>& tensors,
    const PreflightFinding& finding)
{
    for (std::size_t i = 0; i < std::min(tensors.size(), kNamesShown); ++i) {
        auto one = finding;
        one.module = moduleOf(tensors[i]->name);
        one.parameter = tensors[i]->name;
        if (one.value.empty())
            one.value = c10::toString(tensors[i]->tensor.scalar_type());
        findings.push_back(std::move(one));
    }
    if (tensors.size() <= kNamesShown)
        return;
    auto rest = finding;
    rest.module = "model";
    rest.value = fmt::format("{} more parameters", tensors.size() - kNamesShown);
    findings.push_back(std::move(rest));
}

void checkTypes(const PreflightSubject& subject, Findings& findings)
{
    std::vector<const NamedTensor*> halves;
    for (const auto& parameter : subject.parameters) {
        if (subject.usesScaler && parameter.tensor.scalar_type() == at::kHalf)
            halves.push_back(&parameter);
    }
    addNamed(findings, halves,
        {Level::Error, {}, {}, {},
            "a parameter in fp16 has gradients in fp16, which a GradScaler cannot unscale.",
            "Keep parameters in fp32: autocast makes the 16-bit copies."});
    if (subject.batch.input.scalar_type() == at::kDouble)
        findings.push_back({Level::Error, "input", "data", "Double",
            "the data are 64-bit numbers: autocast does not touch them and layers in fp32 refuse "
            "them.",
            "Convert them to fp32 when they are read."});
}

void checkOptimizers(const PreflightSubject& subject, Findings& findings)
{
    const auto isOptimized = [&](const NamedTensor& parameter) {
        return std::ranges::any_of(subject.optimized,
            [&](const at::Tensor& held) { return held.is_same(parameter.tensor); });
    };
    const auto isOfModel = [&](const at::Tensor& held) {
        return std::ranges::any_of(subject.parameters,
            [&](const NamedTensor& parameter) { return held.is_same(parameter.tensor); });
    };
    std::vector<const NamedTensor*> forgotten;
    for (const auto& parameter : subject.parameters) {
        if (parameter.tensor.requires_grad() && !isOptimized(parameter))
            forgotten.push_back(&parameter);
    }
    addNamed(findings, forgotten,
        {Level::Warning, {}, {}, "in no optimizer", "no optimizer will change it.",
            "Create the optimizer from the model's parameters, after the model has been moved to "
            "its device."});
    const auto strangers = std::ranges::count_if(
        subject.optimized, [&](const at::Tensor& held) { return !isOfModel(held); });
    if (strangers > 0)
        findings.push_back(
            {Level::Error, "optimizer", "parameters", fmt::format("{} tensors", strangers),
                "the optimizer holds tensors that are not the model's: they never get a gradient.",
                "Create the optimizer after the model has been moved to its device."});
}

void checkGraph(const PreflightSubject& subject, const at::Tensor& loss, Findings& findings)
{
    std::vector<const NamedTensor*> trained;
    std::vector<at::Tensor> tensors;
    for (const auto& parameter : subject.parameters) {
        if (parameter.tensor.requires_grad()) {
            trained.push_back(&parameter);
            tensors.push_back(parameter.tensor);
        }
    }
    if (!loss.requires_grad() || loss.is_leaf() || tensors.empty()) {
        findings.push_back({Level::Error, "loss", "graph",
            tensors.empty() ? "no parameter takes a gradient" : "no path to any parameter",
            "nothing can be trained: the loss was detached, made anew from its value, or every "
            "parameter is frozen (requires_grad = false).",
            "Compute the loss from the model's output without leaving the graph."});
        return;
    }
    const auto gradients = torch::autograd::grad({loss}, tensors, {}, false, false, true);
    std::vector<const NamedTensor*> unreached;
    for (std::size_t i = 0; i < gradients.size(); ++i) {
        if (!gradients[i].defined())
            unreached.push_back(trained[i]);
    }
    addNamed(findings, unreached,
        {Level::Warning, {}, {}, "no gradient",
            "the loss does not depend on it, so the optimizer holds a parameter without a "
            "gradient.",
            "Leave it out, or use it in the forward pass."});
}

} // namespace

std::vector<PreflightFinding> preflight(const PreflightSubject& subject)
{
    Findings findings;
    checkTypes(subject, findings);
    checkOptimizers(subject, findings);
    const auto elements = [&] {
        std::int64_t count = 0;
        for (const auto& parameter : subject.parameters)
            count += parameter.tensor.numel();
        return count;
    }();
    if (subject.usesScaler) {
        if (auto finding =
                checkClipNorm(subject.clipNorm, subject.scale, elements, subject.precision))
            findings.push_back(std::move(*finding));
    }
    const GeneratorKeeper generators(subject.batch.input.device());
    const auto loss = subject.loss(subject.batch);
    if (loss.scalar_type() == at::kHalf && subject.usesScaler
        && subject.scale > kHighestScaleOfHalfLoss)
        findings.push_back({Level::Warning, "loss", "scale", scaleText(subject.scale),
            "the loss is computed in fp16: times the scale it passes 65,504 as soon as it is 2.",
            "Compute the loss in fp32 (loss.to(at::kFloat)), or start with a scale of at most "
            "32,768."});
    checkGraph(subject, loss, findings);
    return findings;
}

} // namespace mantissa
