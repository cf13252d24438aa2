// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/operator_cost.h"

#include <algorithm>
#include <array>

namespace mantissa {

namespace {

using Words = std::initializer_list<std::string_view>;

bool isOneOf(std::string_view name, Words words)
{
    return std::ranges::find(words, name) != words.end();
}

bool contains(std::string_view name, Words parts)
{
    return std::ranges::any_of(
        parts, [name](std::string_view part) { return name.find(part) != name.npos; });
}

constexpr std::array<std::string_view, 8> kWords{
    "matrix", "cast", "elementwise", "reduction", "optimizer", "movement", "view", "other"};

bool isMatrixWork(std::string_view name)
{
    return isOneOf(name,
               {"mm", "addmm", "addmm_", "_addmm_activation", "bmm", "baddbmm", "baddbmm_", "mv",
                   "addmv", "dot", "matmul", "linear", "linear_backward", "einsum"})
        || contains(name,
            {"convolution", "conv1d", "conv2d", "conv3d", "conv_transpose", "mkldnn_linear", "rnn",
                "lstm", "gru", "scaled_dot_product", "_attention"});
}

bool isView(std::string_view name)
{
    return isOneOf(name,
        {"t", "transpose", "permute", "view", "_unsafe_view", "view_as", "reshape",
            "_reshape_alias", "expand", "expand_as", "as_strided", "slice", "select", "squeeze",
            "squeeze_", "unsqueeze", "unsqueeze_", "detach", "detach_", "alias", "flatten",
            "unflatten", "chunk", "split", "split_with_sizes", "narrow", "unbind", "unfold",
            "numpy_T", "movedim", "lift_fresh", "result_type", "broadcast_to", "set_data",
            "requires_grad_", "is_pinned", "resolve_conj"});
}

bool isMovement(std::string_view name)
{
    return isOneOf(name,
               {"to", "_to_copy", "copy_", "clone", "contiguous", "cat", "stack", "index",
                   "index_select", "index_put_", "_index_put_impl_", "gather", "scatter",
                   "scatter_add_", "embedding", "embedding_backward", "fill_", "zero_", "zeros",
                   "ones", "full", "arange", "item", "_local_scalar_dense", "set_", "resize_",
                   "repeat", "roll", "slice_backward", "select_backward", "scalar_tensor"})
        || contains(name, {"empty", "_like", "new_", "embedding_dense"});
}

bool isReduction(std::string_view name)
{
    return isOneOf(name,
               {"max", "min", "amax", "amin", "aminmax", "all", "any", "var", "std", "var_mean",
                   "prod", "argmax", "argmin", "cumsum", "topk", "sort"})
        || contains(
            name, {"sum", "mean", "_norm", "norm_", "softmax", "loss", "pool", "cross_entropy"});
}

bool isElementwise(std::string_view name)
{
    return isOneOf(name, {"eq", "ne", "lt", "le", "gt", "ge", "normal_", "isfinite", "isnan"})
        || contains(name,
            {"add", "mul", "sub", "div", "relu", "gelu", "silu", "threshold", "sigmoid", "tanh",
                "exp", "log", "pow", "sqrt", "neg", "abs", "dropout", "bernoulli", "where", "mask",
                "clamp", "lerp", "reciprocal", "sign", "tril", "triu", "uniform", "rand", "square",
                "bias"});
}

} // namespace

std::string_view toString(OperatorKind kind)
{
    return kWords[static_cast<std::size_t>(kind)];
}

OperatorKind operatorKindFromString(std::string_view text)
{
    const auto* found = std::ranges::find(kWords, text);
    return found == kWords.end() ? OperatorKind::Other
                                 : static_cast<OperatorKind>(found - kWords.begin());
}

OperatorKind kindOf(std::string_view name)
{
    if (name.starts_with("autograd::") || name.find("Backward") != name.npos)
        return OperatorKind::Other; // a node of the graph; what it calls counts by itself
    if (name.starts_with("_fused_") || name.starts_with("_amp_")
        || (name.starts_with("_foreach_") && name != "_foreach_norm"))
        return OperatorKind::Optimizer;
    if (isView(name))
        return OperatorKind::View;
    if (isMatrixWork(name))
        return OperatorKind::Matrix;
    if (isMovement(name))
        return OperatorKind::Movement;
    if (isReduction(name) && name != "normal_")
        return OperatorKind::Reduction;
    return isElementwise(name) ? OperatorKind::Elementwise : OperatorKind::Other;
}

} // namespace mantissa
