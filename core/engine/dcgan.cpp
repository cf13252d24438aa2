// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/dcgan.h"

#include "core/engine/layers.h"
#include "core/engine/networks.h"

#include <ATen/ATen.h>

namespace mantissa {

namespace {

constexpr double kDeviation = 0.02;
constexpr double kLeak = 0.2;

/// Halves (or doubles) height and width.
constexpr ConvShape kByTwo{.kernel = 4, .stride = 2, .padding = 1, .bias = false};

ConvShape whole(const DataShape& shape)
{
    return {.kernel = shape.height / 4, .bias = false};
}

class Generator : public Module {
public:
    Generator(const ModelConfig& config, const DataShape& shape)
        : m_conv1(add<ConvTranspose2d>("conv1", config.latent, 2 * config.channels, whole(shape)))
        , m_bn1(add<BatchNorm2d>("bn1", 2 * config.channels))
        , m_conv2(add<ConvTranspose2d>("conv2", 2 * config.channels, config.channels, kByTwo))
        , m_bn2(add<BatchNorm2d>("bn2", config.channels))
        , m_conv3(add<ConvTranspose2d>("conv3", config.channels, shape.channels, kByTwo))
    {
    }

protected:
    at::Tensor forward(const at::Tensor& noise) override
    {
        auto values = at::relu(m_bn1(m_conv1(noise)));
        values = at::relu(m_bn2(m_conv2(values)));
        return at::tanh(m_conv3(values));
    }

private:
    ConvTranspose2d& m_conv1;
    BatchNorm2d& m_bn1;
    ConvTranspose2d& m_conv2;
    BatchNorm2d& m_bn2;
    ConvTranspose2d& m_conv3;
};

class Discriminator : public Module {
public:
    Discriminator(const ModelConfig& config, const DataShape& shape)
        : m_conv1(add<Conv2d>("conv1", shape.channels, config.channels, kByTwo))
        , m_conv2(add<Conv2d>("conv2", config.channels, 2 * config.channels, kByTwo))
        , m_bn2(add<BatchNorm2d>("bn2", 2 * config.channels))
        , m_conv3(add<Conv2d>("conv3", 2 * config.channels, 1, whole(shape)))
    {
    }

protected:
    at::Tensor forward(const at::Tensor& images) override
    {
        auto values = at::leaky_relu(m_conv1(images), kLeak);
        values = at::leaky_relu(m_bn2(m_conv2(values)), kLeak);
        return m_conv3(values).flatten();
    }

private:
    Conv2d& m_conv1;
    Conv2d& m_conv2;
    BatchNorm2d& m_bn2;
    Conv2d& m_conv3;
};

} // namespace

Dcgan::Dcgan(const ModelConfig& config, const DataShape& shape)
    : m_latent(config.latent)
    , m_generator(&add<Generator>("generator", config, shape))
    , m_discriminator(&add<Discriminator>("discriminator", config, shape))
{
    for (auto* module : subtree()) {
        if (const auto* conv = dynamic_cast<Conv2d*>(module))
            conv->weight.detach().normal_(0, kDeviation);
        else if (const auto* transposed = dynamic_cast<ConvTranspose2d*>(module))
            transposed->weight.detach().normal_(0, kDeviation);
        else if (const auto* norm = dynamic_cast<BatchNorm2d*>(module))
            norm->weight.detach().normal_(1, kDeviation);
    }
}

at::Tensor Dcgan::noise(
    std::int64_t count, at::Device device, const std::optional<at::Generator>& generator) const
{
    return at::randn({count, m_latent, 1, 1}, generator, at::kFloat).to(device);
}

std::unique_ptr<Module> makeDcgan(const ModelConfig& config, const DataShape& shape)
{
    return std::make_unique<Dcgan>(config, shape);
}

} // namespace mantissa
