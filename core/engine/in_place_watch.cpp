// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/in_place_watch.h"

#include <ATen/ATen.h>

namespace mantissa {

namespace {

/// The watch of this thread: RecordFunction's callbacks are plain functions.
thread_local InPlaceWatch* t_watch = nullptr;

bool isLow(c10::ScalarType type)
{
    return type == at::kHalf || type == at::kBFloat16;
}

/// "aten::add_", but not "aten::__and__". A copy_ is a cast that somebody asked for.
bool isInPlace(std::string_view name)
{
    return name.ends_with('_') && !name.ends_with("__") && name != "aten::copy_";
}

/// The type of the first operand that is wider than `self`, if any.
std::optional<c10::ScalarType> widerOperand(c10::ArrayRef<const c10::IValue> inputs)
{
    for (const auto& input : inputs.slice(1)) {
        if (!input.isTensor() || !input.toTensor().defined())
            continue;
        const auto type = input.toTensor().scalar_type();
        if (type == at::kFloat || type == at::kDouble)
            return type;
    }
    return std::nullopt;
}

} // namespace

InPlaceWatch::InPlaceWatch(Module& root)
    : m_root(root)
    , m_handle(at::addThreadLocalCallback(
          at::RecordFunctionCallback(look).needsInputs(true).scopes({at::RecordScope::FUNCTION})))
{
    t_watch = this;
    m_root.setObserver(this);
}

InPlaceWatch::~InPlaceWatch()
{
    m_root.setObserver(nullptr);
    at::removeCallback(m_handle);
    t_watch = nullptr;
}

void InPlaceWatch::before(const Module& module, const at::Tensor&)
{
    m_path.push_back(module.path());
}

void InPlaceWatch::after(const Module&, const at::Tensor&, const at::Tensor&)
{
    m_path.pop_back();
}

std::unique_ptr<at::ObserverContext> InPlaceWatch::look(const at::RecordFunction& function)
{
    const auto inputs = function.inputs();
    if (!t_watch || t_watch->m_path.empty() || inputs.empty() || !isInPlace(function.name())
        || !inputs[0].isTensor() || !inputs[0].toTensor().defined())
        return nullptr;
    const auto self = inputs[0].toTensor().scalar_type();
    const auto other = isLow(self) ? widerOperand(inputs) : std::nullopt;
    if (other)
        t_watch->m_findings.push_back({t_watch->m_path.back(), function.name(), self, *other});
    return nullptr;
}

} // namespace mantissa
