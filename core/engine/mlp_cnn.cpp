// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/layers.h"
#include "core/engine/networks.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

namespace mantissa {

namespace {

constexpr std::int64_t kCnnHidden = 128;

class Mlp : public Module {
public:
    Mlp(const std::vector<std::int64_t>& hidden, const DataShape& shape)
    {
        auto features =
            shape.isTable() ? shape.features : shape.channels * shape.height * shape.width;
        for (const auto units : hidden) {
            append(features, units);
            features = units;
        }
        append(features, shape.outputs());
    }

protected:
    at::Tensor forward(const at::Tensor& input) override
    {
        auto values = input.flatten(1);
        for (std::size_t i = 0; i < m_layers.size(); ++i) {
            if (i > 0)
                values = at::relu(values);
            values = (*m_layers[i])(values);
        }
        return values;
    }

private:
    void append(std::int64_t inFeatures, std::int64_t outFeatures)
    {
        const auto name = fmt::format("fc{}", m_layers.size() + 1);
        m_layers.push_back(&add<Linear>(name, inFeatures, outFeatures));
    }

    std::vector<Linear*> m_layers;
};

class Cnn : public Module {
public:
    // The members' order is the order of creation: it decides the weights.
    Cnn(std::int64_t width, const DataShape& shape)
        : m_conv1(add<Conv2d>("conv1", shape.channels, width, ConvShape{.padding = 1}))
        , m_conv2(add<Conv2d>("conv2", width, 2 * width, ConvShape{.padding = 1}))
        , m_fc1(add<Linear>("fc1", 2 * width * (shape.height / 4) * (shape.width / 4), kCnnHidden))
        , m_fc2(add<Linear>("fc2", kCnnHidden, shape.outputs()))
    {
    }

protected:
    at::Tensor forward(const at::Tensor& images) override
    {
        auto values = at::max_pool2d(at::relu(m_conv1(images)), 2);
        values = at::max_pool2d(at::relu(m_conv2(values)), 2);
        return m_fc2(at::relu(m_fc1(values.flatten(1))));
    }

private:
    Conv2d& m_conv1;
    Conv2d& m_conv2;
    Linear& m_fc1;
    Linear& m_fc2;
};

} // namespace

std::unique_ptr<Module> makeMlp(const ModelConfig& config, const DataShape& shape)
{
    return std::make_unique<Mlp>(config.hidden, shape);
}

std::unique_ptr<Module> makeCnn(const ModelConfig& config, const DataShape& shape)
{
    return std::make_unique<Cnn>(config.width, shape);
}

} // namespace mantissa
