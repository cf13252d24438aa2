// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/autocast_probe.h"

#include "core/base/number_text.h"
#include "core/engine/autocast_guard.h"

#include <ATen/ATen.h>
#include <ATen/NamedTensorUtils.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <sstream>

namespace mantissa {

namespace {

using at::Tensor;
using c10::IValue;
using Stack = std::vector<IValue>;

constexpr auto kLowType = at::kBFloat16;

std::vector<std::int64_t> numbersIn(std::string_view text, char separator)
{
    std::vector<std::int64_t> numbers;
    std::stringstream stream{std::string(text)};
    for (std::string item; std::getline(stream, item, separator);)
        numbers.push_back(parseInt(item).value_or(0));
    return numbers;
}

Tensor named(Tensor tensor)
{
    constexpr std::array kNames{"a", "b"};
    std::vector<at::Dimname> names;
    for (std::int64_t i = 0; i < tensor.dim(); ++i)
        names.push_back(
            at::Dimname::fromSymbol(at::Symbol::dimname(kNames[static_cast<std::size_t>(i)])));
    at::internal_set_names_inplace(tensor, names);
    return tensor;
}

/// The tensor of a token; floats in `type`.
Tensor tensorOf(std::string_view token, at::ScalarType type)
{
    const auto sizes = numbersIn(token.substr(1), 'x');
    const auto ramp = [&](at::ScalarType integers) { // 0, 1, 2, ...
        std::int64_t count = 1;
        for (const auto size : sizes)
            count *= size;
        return at::arange(count, integers).reshape(sizes);
    };
    switch (token.front()) {
    case 'u':
        return (at::rand(sizes) * 0.8 + 0.1).to(type);
    case 's':
        return (at::eye(sizes[0]) * 4 + 0.5).to(type);
    case 'n':
        return named((at::rand(sizes) + 0.5).to(type));
    case 'i':
        return ramp(at::kLong);
    case 'p':
        return ramp(at::kInt) + 1;
    case 'c':
        return at::zeros(sizes, at::kLong);
    case 'o':
        return at::ones(sizes, at::kLong);
    case 'k':
        return at::tensor(sizes, at::kLong);
    default:
        return (at::rand(sizes) + 0.5).to(type);
    }
}

/// Turns tokens into arguments. Floating tensors take the types in turn, the last one for the rest.
class ArgumentMaker {
public:
    explicit ArgumentMaker(std::vector<at::ScalarType> types)
        : m_types(std::move(types))
    {
    }

    IValue make(const std::string& token, c10::TypePtr type)
    {
        if (const auto optional = type->cast<c10::OptionalType>()) {
            if (token == "none")
                return {};
            type = optional->getElementType();
        }
        if (token.front() == '{')
            return list(token);
        switch (type->kind()) {
        case c10::TypeKind::TensorType:
            return tensor(token);
        case c10::TypeKind::ListType:
            return numbersIn(token.substr(1, token.size() - 2), ',');
        case c10::TypeKind::StringType:
            return token.substr(1, token.size() - 2);
        case c10::TypeKind::BoolType:
            return token == "true";
        case c10::TypeKind::FloatType:
        case c10::TypeKind::NumberType:
            return parseDouble(token).value_or(0);
        default:
            return parseInt(token).value_or(0);
        }
    }

private:
    Tensor tensor(std::string_view token)
    {
        auto made = tensorOf(token, m_types.front());
        if (made.is_floating_point() && m_types.size() > 1)
            m_types.erase(m_types.begin());
        return made;
    }

    IValue list(const std::string& token)
    {
        c10::List<Tensor> tensors;
        std::stringstream stream(token.substr(1, token.size() - 2));
        for (std::string item; std::getline(stream, item, ',');)
            tensors.push_back(tensor(item));
        return tensors;
    }

    std::vector<at::ScalarType> m_types;
};

c10::OperatorHandle operatorNamed(const std::string& name)
{
    const auto dot = name.find('.');
    auto base = name.substr(0, dot);
    if (base.find("::") == std::string::npos)
        base = "aten::" + base;
    const auto overload = dot == std::string::npos ? std::string() : name.substr(dot + 1);
    return c10::Dispatcher::singleton().findSchemaOrThrow(base.c_str(), overload.c_str());
}

Stack argumentsFor(const c10::FunctionSchema& schema, std::string_view recipe,
    const std::vector<at::ScalarType>& types)
{
    ArgumentMaker maker(types);
    std::stringstream tokens{std::string(recipe)};
    Stack stack;
    for (const auto& argument : schema.arguments()) {
        if (std::string token; tokens >> token)
            stack.push_back(maker.make(token, argument.type()));
        else
            stack.push_back(argument.default_value().value_or(IValue()));
    }
    return stack;
}

struct Outcome {
    bool threw = false;
    at::ScalarType type = at::ScalarType::Undefined; ///< of the first result
};

Outcome run(const std::string& name, bool autocast, const std::vector<at::ScalarType>& types)
{
    const at::NoGradGuard noGrad;
    at::manual_seed(1);
    try {
        const auto handle = operatorNamed(name);
        auto stack = argumentsFor(handle.schema(), recipeOf(name), types);
        const AutocastGuard region(at::kCPU, kLowType, true, autocast);
        handle.callBoxed(stack);
        return {false, stack.at(0).toTensor().scalar_type()};
    } catch (const std::exception&) {
        return {true, at::ScalarType::Undefined};
    }
}

bool isFp32(const Outcome& outcome)
{
    return outcome.type == at::kFloat || outcome.type == at::kComplexFloat;
}

/// Neither casts to the region's type: fp32, promote, or nothing.
CastRule amongWide(const std::string& name, bool hasRule, const Outcome& fromLow)
{
    if (isFp32(fromLow))
        return hasRule ? CastRule::Fp32 : CastRule::Untouched;
    if (!hasRule)
        return CastRule::Untouched;
    const auto mixed = run(name, true, {kLowType, at::kFloat});
    return !fromLow.threw && isFp32(mixed) ? CastRule::Promote : CastRule::Unknown;
}

} // namespace

CastRule probeOnCpu(const std::string& name, bool hasRule)
{
    if (recipeOf(name).empty())
        return hasRule ? CastRule::Unknown : CastRule::Untouched;
    const auto fromWide = run(name, true, {at::kFloat});
    const auto fromLow = run(name, true, {kLowType});
    if (fromWide.type == kLowType)
        return CastRule::LowPrecision;
    if (isFp32(fromWide))
        return amongWide(name, hasRule, fromLow);
    // Fp32 arguments that work outside and not inside were cast to what the kernel cannot take.
    if (fromWide.threw)
        return hasRule && !run(name, false, {at::kFloat}).threw ? CastRule::LowPrecision
                                                                : CastRule::Unknown;
    // A whole number (a rank): low precision works only because it was cast to fp32.
    const bool castUp = hasRule && !fromLow.threw && run(name, false, {kLowType}).threw;
    return castUp ? CastRule::Fp32 : CastRule::Unknown;
}

} // namespace mantissa
