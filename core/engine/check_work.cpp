// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/check_work.h"

#include "core/base/human_text.h"
#include "core/engine/autocast_guard.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <optional>

namespace mantissa {

namespace {

using Sizes = std::vector<std::int64_t>;

constexpr std::int64_t kMi = std::int64_t{1} << 20;
constexpr std::uint64_t kSeed = 20;

/// Random values of double precision, rounded to `type`: uniform in -1 to 1, or 0 to 1 where
/// `positive` (a sum near 0 would make its relative error meaningless).
at::Tensor operand(at::IntArrayRef sizes, at::ScalarType type, at::Device device,
    std::uint64_t salt, bool positive = false)
{
    const auto count = c10::multiply_integers(sizes);
    at::manual_seed(kSeed + salt);
    auto values = at::rand({std::min(count, kMi)}, at::TensorOptions(at::kDouble));
    if (!positive)
        values = values.mul_(2).sub_(1);
    // Of large operands the values repeat: drawing them would take longer than measuring.
    const auto times = (count + values.numel() - 1) / values.numel();
    return values.to(type).repeat({times}).narrow(0, 0, count).view(sizes).to(device);
}

class Product : public CheckOperation {
public:
    Product(const Sizes& s, at::ScalarType type, at::Device device)
        : m_a(operand({s[0], s[1]}, type, device, 1))
        , m_b(operand({s[1], s[2]}, type, device, 2))
    {
    }
    void run() override
    {
        m_result.reset(); // its memory first, as in a program that drops what it used
        m_result = at::matmul(m_a, m_b);
    }
    at::Tensor result() const override { return m_result; }

private:
    at::Tensor m_a, m_b, m_result;
};

class Convolution : public CheckOperation {
public:
    Convolution(const Sizes& s, at::ScalarType type, at::Device device)
        : m_input(operand({s[0], s[1], s[2], s[2]}, type, device, 3))
        , m_weight(operand({s[1], s[1], 3, 3}, type, device, 4))
    {
    }
    void run() override
    {
        m_result.reset(); // its memory first, as in a program that drops what it used
        m_result = at::conv2d(m_input, m_weight, {}, 1, 1);
    }
    at::Tensor result() const override { return m_result; }

private:
    at::Tensor m_input, m_weight, m_result;
};

/// Weights are fp32 as in training, the format is autocast's; fp64 is the reference without it.
class LinearStep : public CheckOperation {
public:
    LinearStep(const Sizes& s, CheckFormat format, at::Device device)
        : m_device(device)
    {
        const bool reference = format == CheckFormat::Fp64;
        const auto type = reference ? at::kDouble : at::kFloat;
        if (format == CheckFormat::Bf16 || format == CheckFormat::Fp16)
            m_autocast = scalarTypeOf(format);
        m_input = operand({s[0], s[1]}, type, device, 5).requires_grad_(true);
        m_weight = operand({s[2], s[1]}, type, device, 6).requires_grad_(true);
        m_bias = operand({s[2]}, type, device, 7).requires_grad_(true);
    }

    void run() override
    {
        const at::AutoGradMode gradients(true);
        for (auto* leaf : {&m_input, &m_weight, &m_bias})
            leaf->mutable_grad().reset();
        at::Tensor loss;
        {
            std::optional<AutocastGuard> region;
            if (m_autocast)
                region.emplace(m_device.type(), *m_autocast);
            loss = at::linear(m_input, m_weight, m_bias).mean();
        }
        loss.backward();
    }
    at::Tensor result() const override { return m_weight.grad(); }

private:
    at::Device m_device;
    std::optional<at::ScalarType> m_autocast;
    at::Tensor m_input, m_weight, m_bias;
};

class Attention : public CheckOperation {
public:
    Attention(const Sizes& s, at::ScalarType type, at::Device device)
        : m_query(operand(s, type, device, 8))
        , m_key(operand(s, type, device, 9))
        , m_value(operand(s, type, device, 10))
    {
    }
    void run() override
    {
        m_result.reset(); // its memory first, as in a program that drops what it used
        m_result = at::scaled_dot_product_attention(m_query, m_key, m_value);
    }
    at::Tensor result() const override { return m_result; }

private:
    at::Tensor m_query, m_key, m_value, m_result;
};

class Elementwise : public CheckOperation {
public:
    Elementwise(const Sizes& s, at::ScalarType type, at::Device device)
        : m_a(operand(s, type, device, 11))
        , m_b(operand(s, type, device, 12))
        , m_c(operand(s, type, device, 13))
        , m_result(at::empty_like(m_a))
    {
    }
    void run() override { at::addcmul_out(m_result, m_c, m_a, m_b); }
    at::Tensor result() const override { return m_result; }

private:
    at::Tensor m_a, m_b, m_c, m_result;
};

class Reduction : public CheckOperation {
public:
    Reduction(const Sizes& s, at::ScalarType type, at::Device device)
        : m_values(operand(s, type, device, 14, true))
    {
    }
    void run() override { m_result = at::mean(m_values); }
    at::Tensor result() const override { return m_result; }

private:
    at::Tensor m_values, m_result;
};

std::string product(const Sizes& sizes)
{
    std::string text;
    for (const auto size : sizes)
        text += fmt::format("{}{}", text.empty() ? "" : " × ", groupedText(size));
    return text;
}

CheckShape matrixShape(std::int64_t m, std::int64_t k, std::int64_t n)
{
    const Sizes sizes{m, k, n};
    const auto flops =
        2.0 * static_cast<double>(m) * static_cast<double>(k) * static_cast<double>(n);
    return {sizes, product(sizes), flops, 0, m * k + k * n + m * n};
}

CheckShape convolutionShape(std::int64_t images, std::int64_t channels, std::int64_t side)
{
    const auto pixels = images * side * side;
    return {{images, channels, side},
        fmt::format(
            "{} images, {} to {} channels, {} × {}", images, channels, channels, side, side),
        2.0 * 9 * static_cast<double>(pixels * channels * channels), 0, 2 * pixels * channels};
}

/// Forward, gradient of the input and gradient of the weight: three products.
CheckShape linearShape(std::int64_t batch, std::int64_t width)
{
    auto shape = matrixShape(batch, width, width);
    shape.operations *= 3;
    shape.text = fmt::format("{} to {}, batch {}, forward and backward", width, width, batch);
    return shape;
}

CheckShape attentionShape(std::int64_t sequence)
{
    constexpr std::int64_t kBatch = 4;
    constexpr std::int64_t kHeads = 8;
    constexpr std::int64_t kWidth = 64;
    const auto flops = 4.0 * kBatch * kHeads * kWidth * static_cast<double>(sequence * sequence);
    return {{kBatch, kHeads, sequence, kWidth},
        fmt::format("batch {}, {} heads, {} × {}", kBatch, kHeads, groupedText(sequence), kWidth),
        flops, 0, 4 * kBatch * kHeads * sequence * kWidth};
}

std::string countText(std::int64_t count)
{
    return count % kMi == 0 ? fmt::format("{} Mi values", count / kMi)
                            : fmt::format("{} Ki values", count / 1024);
}

CheckShape streamShape(std::int64_t count, std::int64_t perValue)
{
    return {{count}, countText(count), 0, count * perValue, count * perValue};
}

} // namespace

std::vector<CheckShape> checkShapes(CheckWork work, at::DeviceType device)
{
    const bool gpu = device != at::kCPU;
    std::vector<CheckShape> shapes;
    switch (work) {
    case CheckWork::MatMul:
        for (std::int64_t n = 64; n <= (gpu ? 8192 : 1024); n *= gpu ? 4 : 2)
            shapes.push_back(matrixShape(n, n, n));
        if (gpu)
            shapes.push_back(matrixShape(8192, 8192, 8192));
        break;
    case CheckWork::MatMulTall:
        for (std::int64_t m = 256; m <= (gpu ? 262'144 : 16'384); m *= gpu ? 32 : 8)
            shapes.push_back(matrixShape(m, 128, 128));
        break;
    case CheckWork::Convolution:
        shapes.push_back(convolutionShape(1, 16, 28));
        shapes.push_back(convolutionShape(4, 64, 28));
        shapes.push_back(convolutionShape(16, 64, 28));
        if (gpu)
            shapes.push_back(convolutionShape(256, 128, 28));
        break;
    case CheckWork::LinearStep:
        shapes = {linearShape(16, 64), linearShape(64, 256), linearShape(256, 512)};
        if (gpu)
            shapes.push_back(linearShape(8192, 4096));
        break;
    case CheckWork::Attention:
        shapes = {attentionShape(16), attentionShape(64), attentionShape(256)};
        if (gpu)
            shapes.push_back(attentionShape(2048));
        break;
    case CheckWork::Elementwise:
        shapes = {streamShape(64 * 1024, 4), streamShape(8 * kMi, 4)};
        break;
    case CheckWork::Reduction:
        shapes = {streamShape(64 * 1024, 1), streamShape(16 * kMi, 1)};
        break;
    }
    return shapes;
}

std::unique_ptr<CheckOperation> makeCheckOperation(
    CheckWork work, const CheckShape& shape, CheckFormat format, at::Device device)
{
    const auto type = scalarTypeOf(format);
    const auto& s = shape.sizes;
    switch (work) {
    case CheckWork::MatMul:
    case CheckWork::MatMulTall:
        break;
    case CheckWork::Convolution:
        return std::make_unique<Convolution>(s, type, device);
    case CheckWork::LinearStep:
        return std::make_unique<LinearStep>(s, format, device);
    case CheckWork::Attention:
        return std::make_unique<Attention>(s, type, device);
    case CheckWork::Elementwise:
        return std::make_unique<Elementwise>(s, type, device);
    case CheckWork::Reduction:
        return std::make_unique<Reduction>(s, type, device);
    }
    return std::make_unique<Product>(s, type, device);
}

std::string_view operatorOf(CheckWork work)
{
    switch (work) {
    case CheckWork::MatMul:
    case CheckWork::MatMulTall:
        break;
    case CheckWork::Convolution:
        return "conv2d";
    case CheckWork::LinearStep:
        return "linear, forward and backward";
    case CheckWork::Attention:
        return "scaled_dot_product_attention";
    case CheckWork::Elementwise:
        return "addcmul";
    case CheckWork::Reduction:
        return "mean";
    }
    return "matmul";
}

at::ScalarType scalarTypeOf(CheckFormat format)
{
    switch (format) {
    case CheckFormat::Fp64:
        return at::kDouble;
    case CheckFormat::Fp32:
    case CheckFormat::Tf32:
        break;
    case CheckFormat::Bf16:
        return at::kBFloat16;
    case CheckFormat::Fp16:
        return at::kHalf;
    }
    return at::kFloat;
}

void allowTf32(bool allowed)
{
    at::globalContext().setAllowTF32CuBLAS(allowed);
    at::globalContext().setAllowTF32CuDNN(allowed);
}

} // namespace mantissa
