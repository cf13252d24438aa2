// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/profiled_call.h"

#include <string_view>

namespace mantissa {

/// What an operator does, as far as time goes.
enum class OperatorKind {
    Matrix, ///< products, convolutions, recurrent layers, attention
    Cast, ///< copies to another type
    Elementwise,
    Reduction, ///< sums, normalisation, softmax, pooling, losses
    Optimizer, ///< updates of the weights and the gradient scaler's own
    Movement, ///< copies, fills, allocation, lookups
    View, ///< another shape of the same data: pure overhead
    Other ///< autograd's own work, and what is not known
};
std::string_view toString(OperatorKind kind);
OperatorKind operatorKindFromString(std::string_view text); ///< Other if unknown

/// By the operator's name without "aten::". Copies count as Movement here: whether one is a cast,
/// its types say.
OperatorKind kindOf(std::string_view name);

/// Floating-point operations of this call alone by its shapes, a multiply-add as two: products
/// 2 M K N, convolutions 2 N |weight| output pixels, the same again for each gradient that
/// convolution_backward was asked for, LSTM 2 T B |weights|, attention 2 B H L S (E + Ev) and
/// backward 2 B H L S (3 E + 2 Ev). 0 for what is no matrix work, and for its wrappers ("linear" in
/// front of "addmm"): sum over a tree without counting twice with treeFlops().
double flopsOf(const ProfiledCall& call);
/// flopsOf() of the deepest calls that have any.
double treeFlops(const ProfiledCall& call);

/// Bytes that this call must read and write at least once: its tensors and its result, as far as
/// that follows from them. 0 for views and allocation.
double bytesOf(const ProfiledCall& call);
/// Of this call or of those it made, whichever is more: a wrapper's data are theirs.
double treeBytes(const ProfiledCall& call);

/// What decides whether matrix units are used: M, K, N of a product; channels in (of a group) and
/// out of a convolution. Empty for other calls.
std::vector<std::int64_t> matrixSizes(const ProfiledCall& call);

} // namespace mantissa
