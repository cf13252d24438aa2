// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/step_profile.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>

namespace mantissa {

namespace {

constexpr double kNsPerMs = 1e6;

/// The type an operator computes in: of its first tensor of floating-point numbers.
std::string typeOf(const ProfiledCall& call)
{
    std::string other;
    for (const auto& argument : call.arguments) {
        for (const auto& tensor : argument.tensors) {
            if (isFloating(tensor.dtype))
                return tensor.dtype;
            if (other.empty())
                other = tensor.dtype;
        }
    }
    return other;
}

std::int64_t treeDeviceNs(const ProfiledCall& call)
{
    auto sum = call.deviceNs;
    for (const auto& child : call.children)
        sum += treeDeviceNs(child);
    return sum;
}

/// copy_(destination, source) of two floating-point types at or below `call`.
const ProfiledCall* convertingCopy(const ProfiledCall& call)
{
    if (call.name == "copy_") {
        const auto* to = call.tensor(0);
        const auto* from = call.tensor(1);
        return to && from && to->dtype != from->dtype && isFloating(to->dtype)
                && isFloating(from->dtype)
            ? &call
            : nullptr;
    }
    for (const auto& child : call.children) {
        if (const auto* copy = convertingCopy(child))
            return copy;
    }
    return nullptr;
}

/// What one step adds to a row or a size.
template <typename T> struct Collected {
    T value;
    std::map<std::size_t, double> ms; ///< by step
    std::map<std::size_t, double> hostMs;
};

/// Adds up the calls of some steps.
class Sum {
public:
    Sum(std::size_t steps, std::vector<std::size_t> undisturbed, bool onGpu)
        : m_steps(steps)
        , m_undisturbed(std::move(undisturbed))
        , m_onGpu(onGpu)
    {
    }

    void add(const ProfiledCall& call, std::size_t step)
    {
        m_step = step;
        add(call, Outer());
    }
    StepProfile take();

private:
    /// Time of calls that only handed on to this one.
    struct Outer {
        std::int64_t hostNs = 0;
        std::int64_t deviceNs = 0;
    };
    void add(const ProfiledCall& call, Outer outer);
    void addOwn(const ProfiledCall& call, Outer outer);
    void addCopy(const ProfiledCall& call, Outer outer);
    void addMatrix(const ProfiledCall& call, const std::string& type);
    /// The row of an operator with one call more.
    OperatorRow& row(const std::string& name, const std::string& type, OperatorKind kind,
        std::int64_t hostNs, std::int64_t deviceNs);
    double typicalMs(const std::map<std::size_t, double>& byStep) const;

    std::size_t m_steps;
    std::vector<std::size_t> m_undisturbed; ///< steps whose times count
    bool m_onGpu;
    std::size_t m_step = 0;
    std::map<std::pair<std::string, std::string>, Collected<OperatorRow>> m_rows;
    std::map<std::tuple<std::string, std::string, std::vector<std::int64_t>>, Collected<MatrixSize>>
        m_matrices;
};

OperatorRow& Sum::row(const std::string& name, const std::string& type, OperatorKind kind,
    std::int64_t hostNs, std::int64_t deviceNs)
{
    auto& collected = m_rows[{name, type}];
    collected.hostMs[m_step] += static_cast<double>(hostNs) / kNsPerMs;
    collected.ms[m_step] += static_cast<double>(m_onGpu ? deviceNs : hostNs) / kNsPerMs;
    auto& row = collected.value;
    row.name = name;
    row.dtype = type;
    row.kind = kind;
    ++row.calls;
    return row;
}

double Sum::typicalMs(const std::map<std::size_t, double>& byStep) const
{
    double sum = 0;
    for (const auto step : m_undisturbed) {
        const auto found = byStep.find(step);
        sum += found == byStep.end() ? 0 : found->second;
    }
    return sum / static_cast<double>(m_undisturbed.size()) * static_cast<double>(m_steps);
}

/// Who only hands on to a call of the same name (autocast's record before the casts), or "to" in
/// front of the copy: its time belongs to that call, and the call counts once.
const ProfiledCall* handsOnTo(const ProfiledCall& call)
{
    const std::string_view next = call.name == "to" ? "_to_copy" : std::string_view(call.name);
    const auto found = std::ranges::find(call.children, next, &ProfiledCall::name);
    return found == call.children.end() ? nullptr : &*found;
}

void Sum::add(const ProfiledCall& call, Outer outer)
{
    if (const auto* inner = handsOnTo(call)) {
        for (const auto& child : call.children)
            add(child,
                &child == inner
                    ? Outer{outer.hostNs + call.selfNs(), outer.deviceNs + call.deviceNs}
                    : Outer());
        return;
    }
    if (call.name == "_to_copy" || call.name == "copy_")
        return addCopy(call, outer);
    addOwn(call, outer);
    for (const auto& child : call.children)
        add(child, Outer());
}

void Sum::addOwn(const ProfiledCall& call, Outer outer)
{
    const auto type = typeOf(call);
    auto& sum = row(call.name, type, kindOf(call.name), call.selfNs() + outer.hostNs,
        call.deviceNs + outer.deviceNs);
    double flopsBelow = 0;
    double bytesBelow = 0;
    for (const auto& child : call.children) {
        flopsBelow += treeFlops(child);
        bytesBelow += treeBytes(child);
    }
    const double flops = flopsBelow > 0 ? 0 : flopsOf(call);
    sum.flops += flops;
    // What only calls others touches no data of its own.
    sum.bytes += std::max(0.0, bytesOf(call) - bytesBelow);
    if (flops > 0)
        addMatrix(call, type);
}

void Sum::addCopy(const ProfiledCall& call, Outer outer)
{
    const auto* copy = convertingCopy(call);
    const auto type = copy ? copy->tensor(1)->dtype + "→" + copy->tensor(0)->dtype : typeOf(call);
    auto& sum = row(call.name, type, copy ? OperatorKind::Cast : OperatorKind::Movement,
        call.durationNs() + outer.hostNs, treeDeviceNs(call) + outer.deviceNs);
    for (const auto& argument : (copy ? copy : &call)->arguments) {
        for (const auto& tensor : argument.tensors)
            sum.bytes += tensor.bytes();
    }
}

void Sum::addMatrix(const ProfiledCall& call, const std::string& type)
{
    const auto sizes = matrixSizes(call);
    if (sizes.empty())
        return;
    auto& collected = m_matrices[{call.name, type, sizes}];
    collected.ms[m_step] +=
        static_cast<double>(m_onGpu ? treeDeviceNs(call) : call.durationNs()) / kNsPerMs;
    auto& size = collected.value;
    size.name = call.name;
    size.dtype = type;
    size.sizes = sizes;
    ++size.calls;
}

StepProfile Sum::take()
{
    StepProfile profile;
    for (auto& [key, collected] : m_rows) {
        collected.value.ms = typicalMs(collected.ms);
        collected.value.hostMs = typicalMs(collected.hostMs);
        profile.rows.push_back(std::move(collected.value));
    }
    for (auto& [key, collected] : m_matrices) {
        collected.value.ms = typicalMs(collected.ms);
        profile.matrices.push_back(std::move(collected.value));
    }
    std::ranges::stable_sort(profile.rows, std::greater{}, &OperatorRow::ms);
    std::ranges::stable_sort(profile.matrices, std::greater{}, &MatrixSize::ms);
    return profile;
}

/// The fastest quarter of the steps, at least one: when another program has the processor, each
/// operator that uses several threads waits for it.
std::vector<std::size_t> fastest(const std::vector<const ProfiledCall*>& steps)
{
    std::vector<std::size_t> order(steps.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(
        order, std::less{}, [&](std::size_t step) { return steps[step]->durationNs(); });
    order.resize((steps.size() + 3) / 4);
    return order;
}

} // namespace

StepProfile profileOf(const std::vector<ProfiledCall>& roots, bool onGpu)
{
    std::vector<const ProfiledCall*> steps;
    for (const auto& root : roots) {
        if (root.name == kStepScope)
            steps.push_back(&root);
    }
    if (steps.empty())
        return {};
    const auto undisturbed = fastest(steps);
    Sum sum(steps.size(), undisturbed, onGpu);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        for (const auto& child : steps[i]->children)
            sum.add(child, i);
        // On a GPU backward has a thread of its own: its calls lie beside the scope.
        for (const auto& root : roots) {
            if (root.name != kStepScope && root.startNs >= steps[i]->startNs
                && root.endNs <= steps[i]->endNs)
                sum.add(root, i);
        }
    }
    auto profile = sum.take();
    profile.steps = std::ssize(steps);
    for (const auto index : undisturbed)
        profile.windowMs += static_cast<double>(steps[index]->durationNs()) / kNsPerMs;
    profile.windowMs *= static_cast<double>(steps.size()) / static_cast<double>(undisturbed.size());
    return profile;
}

} // namespace mantissa
