// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/operator_cost.h"

#include <algorithm>
#include <cmath>

namespace mantissa {

namespace {

double product(const std::vector<std::int64_t>& shape, std::size_t first = 0)
{
    double result = 1;
    for (std::size_t i = first; i < shape.size(); ++i)
        result *= static_cast<double>(shape[i]);
    return result;
}

std::int64_t at(
    const ProfiledCall& call, std::size_t argument, std::size_t index, std::int64_t otherwise)
{
    if (argument >= call.arguments.size() || call.arguments[argument].integers.empty())
        return otherwise;
    const auto& integers = call.arguments[argument].integers;
    return integers[std::min(index, integers.size() - 1)];
}

/// M, K, N and how many products of that size; zeros if the call is none.
struct Gemm {
    double batch = 0, m = 0, k = 0, n = 0;
};

Gemm gemmOf(const CallTensor* left, const CallTensor* right)
{
    if (!left || !right || left->shape.empty() || right->shape.empty())
        return {};
    const auto& a = left->shape;
    const auto& b = right->shape;
    const auto k = static_cast<double>(a.back());
    if (a.size() == 3 && b.size() == 3)
        return {static_cast<double>(a[0]), static_cast<double>(a[1]), k, static_cast<double>(b[2])};
    return {1, a.size() > 1 ? static_cast<double>(a[0]) : 1, k,
        b.size() > 1 ? static_cast<double>(b[1]) : 1};
}

Gemm gemmOf(const ProfiledCall& call)
{
    const auto& name = call.name;
    if (name == "mm" || name == "bmm" || name == "mv" || name == "dot")
        return gemmOf(call.tensor(0), call.tensor(1));
    if (name == "addmm" || name == "addmm_" || name == "_addmm_activation" || name == "baddbmm"
        || name == "baddbmm_" || name == "addmv")
        return gemmOf(call.tensor(1), call.tensor(2));
    const auto* input = call.tensor(0);
    const auto* weight = call.tensor(1);
    if (name != "linear" || !input || !weight || input->shape.empty() || weight->shape.size() != 2)
        return {};
    const auto k = static_cast<double>(input->shape.back());
    return {1, k > 0 ? static_cast<double>(input->count()) / k : 0, k,
        static_cast<double>(weight->shape[0])};
}

/// Pixels of a convolution's result: convolution(input, weight, bias, stride, padding, dilation,
/// transposed, output_padding, groups).
double outputPixels(const ProfiledCall& call)
{
    const auto& input = call.tensor(0)->shape;
    const auto& weight = call.tensor(1)->shape;
    double pixels = 1;
    for (std::size_t i = 2; i < input.size() && i < weight.size(); ++i) {
        const auto axis = i - 2;
        const auto reach = at(call, 5, axis, 1) * (weight[i] - 1);
        const auto stride = std::max<std::int64_t>(1, at(call, 3, axis, 1));
        pixels *=
            static_cast<double>((input[i] + 2 * at(call, 4, axis, 0) - reach - 1) / stride + 1);
    }
    return pixels;
}

bool isConvolution(const ProfiledCall& call, std::size_t input)
{
    const auto* images = call.tensor(input);
    const auto* weight = call.tensor(input + 1);
    return images && weight && images->shape.size() > 2 && weight->shape.size() > 2;
}

double convolutionFlops(const ProfiledCall& call)
{
    if (!isConvolution(call, 0))
        return 0;
    const auto& input = call.tensor(0)->shape;
    // Each weight meets each pixel of the result; transposed, each pixel of the input.
    const double pixels = at(call, 6, 0, 0) != 0 ? product(input, 2) : outputPixels(call);
    return 2 * static_cast<double>(input[0]) * product(call.tensor(1)->shape) * pixels;
}

/// convolution_backward(grad_output, input, weight, bias_sizes, stride, padding, dilation,
/// transposed, output_padding, groups, output_mask).
double convolutionBackwardFlops(const ProfiledCall& call)
{
    const auto* gradient = call.tensor(0);
    if (!gradient || !isConvolution(call, 1))
        return 0;
    const auto& input = call.tensor(1)->shape;
    const double pixels = product(at(call, 7, 0, 0) != 0 ? input : gradient->shape, 2);
    const auto wanted = at(call, 10, 0, 1) + at(call, 10, 1, 1);
    return 2 * static_cast<double>(wanted) * static_cast<double>(input[0])
        * product(call.tensor(2)->shape) * pixels;
}

/// mkldnn_rnn_layer(input, w_input, w_hidden, ...), _cudnn_rnn(input, [weights], ...).
double recurrentFlops(const ProfiledCall& call, double factor)
{
    const auto* input = call.tensor(0);
    if (!input || input->shape.size() != 3)
        return 0;
    double weights = 0;
    for (std::size_t i = 1; i < std::min<std::size_t>(3, call.arguments.size()); ++i) {
        for (const auto& tensor : call.arguments[i].tensors)
            weights += tensor.shape.size() == 2 ? product(tensor.shape) : 0;
    }
    return factor * 2 * static_cast<double>(input->shape[0] * input->shape[1]) * weights;
}

/// `query` is the argument of q; k and v follow it. `e` and `ev` say how often each size counts.
double attentionFlops(const ProfiledCall& call, std::size_t query, double e, double ev)
{
    const auto* q = call.tensor(query);
    const auto* k = call.tensor(query + 1);
    const auto* v = call.tensor(query + 2);
    if (!q || !k || !v || q->shape.size() != 4 || k->shape.size() != 4 || v->shape.size() != 4)
        return 0;
    const double pairs =
        product(q->shape) / static_cast<double>(q->shape[3]) * static_cast<double>(k->shape[2]);
    return 2 * pairs
        * (e * static_cast<double>(q->shape[3]) + ev * static_cast<double>(v->shape[3]));
}

bool isAttention(std::string_view name)
{
    return name.starts_with("_scaled_dot_product_") && name != "_scaled_dot_product_attention_math"
        && !name.starts_with("_scaled_dot_product_attention_math");
}

/// Elements of the result, where the arguments tell.
double resultCount(const ProfiledCall& call)
{
    if (const auto gemm = gemmOf(call); gemm.k > 0)
        return gemm.batch * gemm.m * gemm.n;
    if (call.name == "convolution" && isConvolution(call, 0) && at(call, 6, 0, 0) == 0)
        return static_cast<double>(call.tensor(0)->shape[0] * call.tensor(1)->shape[0])
            * outputPixels(call);
    const auto kind = kindOf(call.name);
    if (kind != OperatorKind::Elementwise && kind != OperatorKind::Reduction)
        return 0;
    if (call.name.ends_with("sum") || call.name.ends_with("mean") || call.name.ends_with("norm"))
        return call.name.ends_with("_norm") && !call.name.starts_with("linalg") ? 1 : 0;
    double largest = 0;
    for (const auto& argument : call.arguments) {
        for (const auto& tensor : argument.tensors)
            largest = std::max(largest, static_cast<double>(tensor.count()));
    }
    return largest;
}

} // namespace

double flopsOf(const ProfiledCall& call)
{
    if (const auto gemm = gemmOf(call); gemm.k > 0)
        return 2 * gemm.batch * gemm.m * gemm.k * gemm.n;
    if (call.name == "convolution")
        return convolutionFlops(call);
    if (call.name == "convolution_backward")
        return convolutionBackwardFlops(call);
    if (call.name == "mkldnn_rnn_layer" || call.name == "_cudnn_rnn")
        return recurrentFlops(call, 1);
    if (call.name == "mkldnn_rnn_layer_backward" || call.name == "_cudnn_rnn_backward")
        return recurrentFlops(call, 2);
    if (isAttention(call.name))
        return call.name.ends_with("_backward") ? attentionFlops(call, 1, 3, 2)
                                                : attentionFlops(call, 0, 1, 1);
    return 0;
}

double treeFlops(const ProfiledCall& call)
{
    double below = 0;
    for (const auto& child : call.children)
        below += treeFlops(child);
    return below > 0 ? below : flopsOf(call);
}

double bytesOf(const ProfiledCall& call)
{
    const auto kind = kindOf(call.name);
    if (kind == OperatorKind::View || kind == OperatorKind::Other || call.name.starts_with("empty"))
        return 0;
    double bytes = 0;
    double element = 0;
    for (const auto& argument : call.arguments) {
        for (const auto& tensor : argument.tensors) {
            bytes += tensor.bytes();
            if (element == 0 && isFloating(tensor.dtype))
                element = byteSize(tensor.dtype);
        }
    }
    // In place, or into a tensor that is an argument: what is written is counted as read already.
    if (call.name.ends_with('_'))
        return bytes;
    return bytes + resultCount(call) * element;
}

double treeBytes(const ProfiledCall& call)
{
    double below = 0;
    for (const auto& child : call.children)
        below += treeBytes(child);
    return std::max(below, bytesOf(call));
}

std::vector<std::int64_t> matrixSizes(const ProfiledCall& call)
{
    if (const auto gemm = gemmOf(call); gemm.k > 0)
        return {std::llround(gemm.m), std::llround(gemm.k), std::llround(gemm.n)};
    const std::size_t first = call.name == "convolution" ? 0 : 1;
    if ((call.name == "convolution" || call.name == "convolution_backward")
        && isConvolution(call, first)) {
        const auto& weight = call.tensor(first + 1)->shape;
        return {weight[1], weight[0]};
    }
    return {};
}

} // namespace mantissa
