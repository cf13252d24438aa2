// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/experiment_config.h"

#include <ATen/core/Tensor.h>
#include <memory>
#include <string>
#include <vector>

namespace mantissa {

/// What a model sees and says.
struct ImageTask {
    std::int64_t channels = 1;
    std::int64_t height = 28;
    std::int64_t width = 28;
    std::int64_t classes = 10;
};

struct NamedParameter {
    std::string name; ///< as in Python, e.g. "fc1.weight"
    at::Tensor tensor;
};

/// A network for image classification. Not shared by threads.
class Model {
public:
    virtual ~Model();

    /// Images (N x C x H x W, fp32) to logits (N x classes).
    virtual at::Tensor forward(const at::Tensor& images) const = 0;

    /// In the order of creation.
    const std::vector<NamedParameter>& parameters() const { return m_parameters; }
    std::vector<at::Tensor> tensors() const;
    std::int64_t parameterCount() const;

    /// Moves every parameter, keeping its identity; with `channelsLast`, 4-d weights are stored so.
    void moveTo(at::Device device, bool channelsLast);

protected:
    void add(std::string name, const at::Tensor& weight, const at::Tensor& bias);

private:
    std::vector<NamedParameter> m_parameters;
};

/// Layers fc1, fc2, ...: linear with ReLU between, from the flattened image over `hidden` units.
std::unique_ptr<Model> makeMlp(const std::vector<std::int64_t>& hidden, const ImageTask& task);

/// conv1 (width), conv2 (2 x width): 3 x 3, ReLU, 2 x 2 max-pool each; fc1 (128), ReLU, fc2.
/// Images must be at least 4 x 4 pixels.
std::unique_ptr<Model> makeCnn(std::int64_t width, const ImageTask& task);

/// Weights come from the default generator: seed it first.
std::unique_ptr<Model> makeModel(const ModelConfig& config, const ImageTask& task);

} // namespace mantissa
