// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/layers.h"
#include "core/engine/networks.h"
#include "core/engine/sequential.h"

#include <ATen/ATen.h>
#include <array>
#include <cmath>

namespace mantissa {

namespace {

/// Two 3 x 3 convolutions and a way around them.
class ResidualBlock : public Module {
public:
    ResidualBlock(std::int64_t inChannels, std::int64_t channels, std::int64_t stride)
        : m_conv1(add<Conv2d>("conv1", inChannels, channels,
            ConvShape{.stride = stride, .padding = 1, .bias = false}))
        , m_bn1(add<BatchNorm2d>("bn1", channels))
        , m_conv2(add<Conv2d>("conv2", channels, channels, ConvShape{.padding = 1, .bias = false}))
        , m_bn2(add<BatchNorm2d>("bn2", channels))
    {
        if (stride == 1 && inChannels == channels)
            return;
        m_downsample = &add<Sequential>("downsample");
        m_downsample->append<Conv2d>(
            inChannels, channels, ConvShape{.kernel = 1, .stride = stride, .bias = false});
        m_downsample->append<BatchNorm2d>(channels);
    }

protected:
    at::Tensor forward(const at::Tensor& input) override
    {
        auto values = m_bn2(m_conv2(at::relu(m_bn1(m_conv1(input)))));
        return at::relu(values + (m_downsample ? (*m_downsample)(input) : input));
    }

private:
    Conv2d& m_conv1;
    BatchNorm2d& m_bn1;
    Conv2d& m_conv2;
    BatchNorm2d& m_bn2;
    Sequential* m_downsample = nullptr;
};

class Resnet18 : public Module {
public:
    Resnet18(const ModelConfig& config, const DataShape& shape)
        : m_isImagenet(config.stem == ResnetStem::Imagenet)
        , m_conv1(add<Conv2d>("conv1", shape.channels, config.channels,
              m_isImagenet ? ConvShape{.kernel = 7, .stride = 2, .padding = 3, .bias = false}
                           : ConvShape{.padding = 1, .bias = false}))
        , m_bn1(add<BatchNorm2d>("bn1", config.channels))
        , m_layers{&addLayer("layer1", config.channels, config.channels, 1),
              &addLayer("layer2", config.channels, 2 * config.channels, 2),
              &addLayer("layer3", 2 * config.channels, 4 * config.channels, 2),
              &addLayer("layer4", 4 * config.channels, 8 * config.channels, 2)}
        , m_fc(add<Linear>("fc", 8 * config.channels, shape.outputs()))
    {
        initialise();
    }

protected:
    at::Tensor forward(const at::Tensor& images) override
    {
        auto values = at::relu(m_bn1(m_conv1(images)));
        if (m_isImagenet)
            values = at::max_pool2d(values, 3, 2, 1);
        for (auto* layer : m_layers)
            values = (*layer)(values);
        return m_fc(at::adaptive_avg_pool2d(values, {1, 1}).flatten(1));
    }

private:
    Sequential& addLayer(const std::string& name, std::int64_t inChannels, std::int64_t channels,
        std::int64_t stride)
    {
        auto& layer = add<Sequential>(name);
        layer.append<ResidualBlock>(inChannels, channels, stride);
        layer.append<ResidualBlock>(channels, channels, 1);
        return layer;
    }

    /// kaiming_normal_ by the fan-out for every convolution, in the order of registration.
    void initialise()
    {
        for (auto* module : subtree()) {
            const auto* conv = dynamic_cast<Conv2d*>(module);
            if (!conv)
                continue;
            auto weight = conv->weight.detach();
            const auto fanOut = weight.size(0) * weight.size(2) * weight.size(3);
            weight.normal_(0, std::sqrt(2.0) / std::sqrt(static_cast<double>(fanOut)));
        }
    }

    bool m_isImagenet;
    Conv2d& m_conv1;
    BatchNorm2d& m_bn1;
    std::array<Sequential*, 4> m_layers;
    Linear& m_fc;
};

} // namespace

std::unique_ptr<Module> makeResnet18(const ModelConfig& config, const DataShape& shape)
{
    return std::make_unique<Resnet18>(config, shape);
}

} // namespace mantissa
