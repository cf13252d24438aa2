// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/layers.h"
#include "core/engine/model.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

namespace mantissa {

namespace {

constexpr std::int64_t kCnnHidden = 128;

class Mlp : public Model {
public:
    Mlp(const std::vector<std::int64_t>& hidden, const ImageTask& task)
    {
        auto features = task.channels * task.height * task.width;
        for (const auto units : hidden) {
            append(features, units);
            features = units;
        }
        append(features, task.classes);
    }

    at::Tensor forward(const at::Tensor& images) const override
    {
        auto values = images.flatten(1);
        for (std::size_t i = 0; i < m_layers.size(); ++i) {
            if (i > 0)
                values = at::relu(values);
            values = m_layers[i](values);
        }
        return values;
    }

private:
    void append(std::int64_t inFeatures, std::int64_t outFeatures)
    {
        const auto& layer = m_layers.emplace_back(inFeatures, outFeatures);
        add(fmt::format("fc{}", m_layers.size()), layer.weight, layer.bias);
    }

    std::vector<Linear> m_layers;
};

class Cnn : public Model {
public:
    // The members' order is the order of creation: it decides the weights.
    Cnn(std::int64_t width, const ImageTask& task)
        : m_conv1(task.channels, width, 3, 1)
        , m_conv2(width, 2 * width, 3, 1)
        , m_fc1(2 * width * (task.height / 4) * (task.width / 4), kCnnHidden)
        , m_fc2(kCnnHidden, task.classes)
    {
        add("conv1", m_conv1.weight, m_conv1.bias);
        add("conv2", m_conv2.weight, m_conv2.bias);
        add("fc1", m_fc1.weight, m_fc1.bias);
        add("fc2", m_fc2.weight, m_fc2.bias);
    }

    at::Tensor forward(const at::Tensor& images) const override
    {
        auto values = at::max_pool2d(at::relu(m_conv1(images)), 2);
        values = at::max_pool2d(at::relu(m_conv2(values)), 2);
        return m_fc2(at::relu(m_fc1(values.flatten(1))));
    }

private:
    Conv2d m_conv1;
    Conv2d m_conv2;
    Linear m_fc1;
    Linear m_fc2;
};

} // namespace

std::unique_ptr<Model> makeMlp(const std::vector<std::int64_t>& hidden, const ImageTask& task)
{
    return std::make_unique<Mlp>(hidden, task);
}

std::unique_ptr<Model> makeCnn(std::int64_t width, const ImageTask& task)
{
    return std::make_unique<Cnn>(width, task);
}

} // namespace mantissa
