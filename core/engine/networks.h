// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/experiment_config.h"
#include "core/engine/data_shape.h"
#include "core/engine/module.h"

/// The networks, each written once for all precisions. The shape must fit (see misfit()). Weights
/// are those of the Python twin in tests/parity/models.py for the same seed.
namespace mantissa {

/// Layers fc1, fc2, ...: linear with ReLU between, from the flattened input over `hidden` units.
std::unique_ptr<Module> makeMlp(const ModelConfig& config, const DataShape& shape);

/// conv1 (width), conv2 (2 x width): 3 x 3, ReLU, 2 x 2 max-pool each; fc1 (128), ReLU, fc2.
std::unique_ptr<Module> makeCnn(const ModelConfig& config, const DataShape& shape);

/// torchvision's resnet18, of `channels`, 2 x, 4 x and 8 x `channels` (there 64). The CIFAR stem is
/// one 3 x 3 convolution; the ImageNet stem a 7 x 7 of stride 2 and a 3 x 3 max-pool.
std::unique_ptr<Module> makeResnet18(const ModelConfig& config, const DataShape& shape);

/// Patches through a convolution, learnt positions, `depth` blocks (norm before attention and MLP),
/// mean over the patches, norm, linear.
std::unique_ptr<Module> makeVit(const ModelConfig& config, const DataShape& shape);

/// Tokens and positions, `depth` causal blocks, norm, linear without bias; weights normal(0, 0.02).
std::unique_ptr<Module> makeGpt(const ModelConfig& config, const DataShape& shape);

/// Embedding, an LSTM of `depth` layers, linear.
std::unique_ptr<Module> makeLstm(const ModelConfig& config, const DataShape& shape);

/// See dcgan.h.
std::unique_ptr<Module> makeDcgan(const ModelConfig& config, const DataShape& shape);

} // namespace mantissa
