// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/lstm.h"

#include "core/engine/autocast_guard.h"
#include "core/engine/layers.h"
#include "core/engine/networks.h"

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <cmath>
#include <fmt/format.h>

namespace mantissa {

Lstm::Lstm(std::int64_t inputs, std::int64_t units, std::int64_t layers)
    : m_units(units)
    , m_layers(layers)
{
    const double bound = 1.0 / std::sqrt(static_cast<double>(units));
    const auto create = [&](const std::string& name, at::IntArrayRef sizes) {
        m_weights.push_back(
            at::empty(sizes, at::kFloat).uniform_(-bound, bound).set_requires_grad(true));
        registerParameter(name, m_weights.back());
    };
    for (std::int64_t layer = 0; layer < layers; ++layer) {
        create(fmt::format("weight_ih_l{}", layer), {4 * units, layer == 0 ? inputs : units});
        create(fmt::format("weight_hh_l{}", layer), {4 * units, units});
        create(fmt::format("bias_ih_l{}", layer), {4 * units});
        create(fmt::format("bias_hh_l{}", layer), {4 * units});
    }
}

at::Tensor Lstm::forward(const at::Tensor& input)
{
    if (!at::autocast::is_autocast_enabled(input.device().type()))
        return run(input);
    if (!m_fallback.empty())
        return runInFp32(input);
    // c10::Error and oneDNN's own exceptions have only this base in common.
    try {
        return run(input);
    } catch (const c10::Error& error) {
        m_fallback = error.what_without_backtrace();
    } catch (const std::exception& error) {
        m_fallback = error.what();
    }
    m_fallback = fmt::format("at::lstm runs in fp32: {}", m_fallback);
    return runInFp32(input);
}

at::Tensor Lstm::run(const at::Tensor& input) const
{
    const auto zeros = at::zeros({m_layers, input.size(0), m_units}, input.options());
    return std::get<0>(
        at::lstm(input, {zeros, zeros}, m_weights, true, m_layers, 0.0, isTraining(), false, true));
}

at::Tensor Lstm::runInFp32(const at::Tensor& input) const
{
    const auto device = input.device().type();
    const AutocastGuard region(device, at::autocast::get_autocast_dtype(device), true, false);
    return run(input.to(at::kFloat));
}

namespace {

class LstmNetwork : public Module {
public:
    LstmNetwork(const ModelConfig& config, const DataShape& shape)
        : m_tokens(add<Embedding>("tokens", shape.classes, config.dim))
        , m_lstm(add<Lstm>("lstm", config.dim, config.dim, config.depth))
        , m_head(add<Linear>("head", config.dim, shape.classes))
    {
    }

protected:
    at::Tensor forward(const at::Tensor& input) override { return m_head(m_lstm(m_tokens(input))); }

private:
    Embedding& m_tokens;
    Lstm& m_lstm;
    Linear& m_head;
};

} // namespace

std::unique_ptr<Module> makeLstm(const ModelConfig& config, const DataShape& shape)
{
    return std::make_unique<LstmNetwork>(config, shape);
}

} // namespace mantissa
