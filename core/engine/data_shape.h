// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace mantissa {

/// What a sample's target is; it decides the loss and the metric of every model.
enum class TargetKind {
    Class, ///< one class per sample: cross-entropy, accuracy
    NextToken, ///< the following token at each position: cross-entropy, accuracy
    Value, ///< one number per sample: mean squared error, rmse
};

/// What a data set feeds to a model. Sizes that its kind of sample does not have are 0.
struct DataShape {
    TargetKind target = TargetKind::Class;
    std::int64_t channels = 0; ///< images: N x channels x height x width, fp32
    std::int64_t height = 0;
    std::int64_t width = 0;
    std::int64_t classes = 0; ///< classes, or the vocabulary of tokens
    std::int64_t features = 0; ///< csv: N x features, fp32
    std::int64_t sequence = 0; ///< text: N x sequence tokens, int64

    /// Numbers a model answers with at each position.
    std::int64_t outputs() const { return target == TargetKind::Value ? 1 : classes; }
    bool isImages() const { return channels > 0; }
    bool isText() const { return sequence > 0; }
    bool isTable() const { return features > 0; }
};

} // namespace mantissa
