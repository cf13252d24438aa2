// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/autocast_guard.h"
#include "core/engine/layers.h"
#include "core/engine/non_finite_locator.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/// Networks of a line or two for the cases that no experiment can express.
namespace mantissa::test {

/// A module from a function of its input.
class Lambda : public Module {
public:
    using Function = std::function<at::Tensor(const at::Tensor&)>;
    explicit Lambda(Function function)
        : m_function(std::move(function))
    {
    }

protected:
    at::Tensor forward(const at::Tensor& input) override { return m_function(input); }

private:
    Function m_function;
};

/// x + fc(x), fc being the identity: a residual connection.
class Residual : public Module {
public:
    explicit Residual(std::int64_t features)
        : m_fc(add<Linear>("fc", features, features))
    {
        const at::NoGradGuard noGrad;
        m_fc.weight.copy_(at::eye(features));
        m_fc.bias.zero_();
    }

protected:
    at::Tensor forward(const at::Tensor& input) override { return input + m_fc(input); }

private:
    Linear& m_fc;
};

/// Children called one after the other.
class Chain : public Module {
public:
    Linear& linear(const std::string& name, const at::Tensor& weight)
    {
        auto& layer = add<Linear>(name, weight.size(1), weight.size(0));
        const at::NoGradGuard noGrad;
        layer.weight.copy_(weight);
        layer.bias.zero_();
        m_parts.push_back(&layer);
        return layer;
    }
    void residual(const std::string& name, std::int64_t features)
    {
        m_parts.push_back(&add<Residual>(name, features));
    }
    void then(const std::string& name, Lambda::Function function)
    {
        m_parts.push_back(&add<Lambda>(name, std::move(function)));
    }

protected:
    at::Tensor forward(const at::Tensor& input) override
    {
        auto values = input;
        for (auto* part : m_parts)
            values = (*part)(values);
        return values;
    }

private:
    std::vector<Module*> m_parts;
};

/// A replay of `root` on `inputs`, one a micro-batch; the loss is the sum of the output, in fp32.
inline Replay replayOf(
    Module& root, std::vector<at::Tensor> inputs, double scale, c10::ScalarType type = at::kHalf)
{
    Replay replay;
    replay.root = &root;
    replay.microBatches = static_cast<std::int64_t>(inputs.size());
    replay.scale = scale;
    replay.lowType = type;
    replay.loss = [&root, inputs = std::move(inputs), type](std::int64_t index, bool low) {
        std::unique_ptr<AutocastGuard> region;
        if (low)
            region = std::make_unique<AutocastGuard>(at::kCPU, type);
        return root(inputs[static_cast<std::size_t>(index)]).to(at::kFloat).sum();
    };
    return replay;
}

} // namespace mantissa::test
