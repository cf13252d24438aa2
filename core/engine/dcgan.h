// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/experiment_config.h"
#include "core/engine/data_shape.h"
#include "core/engine/module.h"

namespace mantissa {

/// A generator and a discriminator of square images whose side is a multiple of 4, after "DCGAN"
/// (Radford et al., 2015), with three convolutions each. Called as a whole it is the discriminator:
/// images to one logit each, above 0 for "real". Convolutions start as normal(0, 0.02), the weights
/// of the norms as normal(1, 0.02).
class Dcgan : public Module {
public:
    Dcgan(const ModelConfig& config, const DataShape& shape);

    Module& generator() const { return *m_generator; }
    Module& discriminator() const { return *m_discriminator; }
    /// Random values of `count` images, N x latent x 1 x 1, from `generator` or the default one.
    at::Tensor noise(std::int64_t count, at::Device device,
        const std::optional<at::Generator>& generator = {}) const;

protected:
    at::Tensor forward(const at::Tensor& images) override { return (*m_discriminator)(images); }

private:
    std::int64_t m_latent;
    Module* m_generator;
    Module* m_discriminator;
};

} // namespace mantissa
