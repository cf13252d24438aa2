// SPDX-License-Identifier: GPL-3.0-or-later
// vit and gpt: two networks of the same blocks.
#include "core/engine/layers.h"
#include "core/engine/networks.h"
#include "core/engine/sequential.h"

#include <ATen/ATen.h>

namespace mantissa {

namespace {

constexpr double kDeviation = 0.02;
constexpr std::int64_t kMlpFactor = 4;

/// Several heads over one product of queries, keys and values.
class Attention : public Module {
public:
    Attention(std::int64_t dim, std::int64_t heads, bool isCausal)
        : m_heads(heads)
        , m_isCausal(isCausal)
        , m_qkv(add<Linear>("qkv", dim, 3 * dim))
        , m_proj(add<Linear>("proj", dim, dim))
    {
    }

protected:
    at::Tensor forward(const at::Tensor& input) override
    {
        const auto batch = input.size(0);
        const auto tokens = input.size(1);
        const auto dim = input.size(2);
        // 3 x batch x heads x tokens x values
        const auto parts = m_qkv(input)
                               .view({batch, tokens, 3, m_heads, dim / m_heads})
                               .permute({2, 0, 3, 1, 4})
                               .unbind(0);
        const auto values = at::scaled_dot_product_attention(
            parts[0], parts[1], parts[2], std::nullopt, 0.0, m_isCausal);
        return m_proj(values.transpose(1, 2).reshape({batch, tokens, dim}));
    }

private:
    std::int64_t m_heads;
    bool m_isCausal;
    Linear& m_qkv;
    Linear& m_proj;
};

class TransformerMlp : public Module {
public:
    explicit TransformerMlp(std::int64_t dim)
        : m_fc1(add<LinearGelu>("fc1", dim, kMlpFactor * dim))
        , m_fc2(add<Linear>("fc2", kMlpFactor * dim, dim))
    {
    }

protected:
    at::Tensor forward(const at::Tensor& input) override { return m_fc2(m_fc1(input)); }

private:
    LinearGelu& m_fc1; ///< the Python twin has the gelu between fc1 and fc2
    Linear& m_fc2;
};

class TransformerBlock : public Module {
public:
    TransformerBlock(const ModelConfig& config, bool isCausal)
        : m_norm1(add<LayerNorm>("norm1", config.dim))
        , m_attention(add<Attention>("attention", config.dim, config.heads, isCausal))
        , m_norm2(add<LayerNorm>("norm2", config.dim))
        , m_mlp(add<TransformerMlp>("mlp", config.dim))
    {
    }

protected:
    at::Tensor forward(const at::Tensor& input) override
    {
        const auto values = input + m_attention(m_norm1(input));
        return values + m_mlp(m_norm2(values));
    }

private:
    LayerNorm& m_norm1;
    Attention& m_attention;
    LayerNorm& m_norm2;
    TransformerMlp& m_mlp;
};

/// Weights normal(0, 0.02), biases 0, in the order of registration.
void initialise(Module& root)
{
    for (auto* module : root.subtree()) {
        if (const auto* linear = dynamic_cast<Linear*>(module)) {
            linear->weight.detach().normal_(0, kDeviation);
            if (linear->bias.defined())
                linear->bias.detach().zero_();
        } else if (const auto* embedding = dynamic_cast<Embedding*>(module)) {
            embedding->weight.detach().normal_(0, kDeviation);
        }
    }
}

class Vit : public Module {
public:
    Vit(const ModelConfig& config, const DataShape& shape)
        : m_position(
            at::zeros({1, shape.height / config.patch * (shape.width / config.patch), config.dim})
                .normal_(0, kDeviation)
                .set_requires_grad(true))
        , m_patches(add<Conv2d>("patches", shape.channels, config.dim,
              ConvShape{.kernel = config.patch, .stride = config.patch}))
        , m_blocks(add<Sequential>("blocks"))
    {
        registerParameter("position", m_position);
        for (std::int64_t i = 0; i < config.depth; ++i)
            m_blocks.append<TransformerBlock>(config, false);
        m_norm = &add<LayerNorm>("norm", config.dim);
        m_head = &add<Linear>("head", config.dim, shape.outputs());
        initialise(*this);
    }

protected:
    at::Tensor forward(const at::Tensor& images) override
    {
        const auto patches = m_patches(images).flatten(2).transpose(1, 2);
        return (*m_head)((*m_norm)(m_blocks(patches + m_position).mean(1)));
    }

private:
    at::Tensor m_position;
    Conv2d& m_patches;
    Sequential& m_blocks;
    LayerNorm* m_norm = nullptr;
    Linear* m_head = nullptr;
};

class Gpt : public Module {
public:
    Gpt(const ModelConfig& config, const DataShape& shape)
        : m_tokens(add<Embedding>("tokens", shape.classes, config.dim))
        , m_positions(add<Embedding>("positions", shape.sequence, config.dim))
        , m_blocks(add<Sequential>("blocks"))
    {
        for (std::int64_t i = 0; i < config.depth; ++i)
            m_blocks.append<TransformerBlock>(config, true);
        m_norm = &add<LayerNorm>("norm", config.dim);
        m_head = &add<Linear>("head", config.dim, shape.classes, false);
        initialise(*this);
    }

protected:
    at::Tensor forward(const at::Tensor& input) override
    {
        const auto numbers = at::arange(input.size(1), input.options());
        const auto values = m_blocks(m_tokens(input) + m_positions(numbers));
        return (*m_head)((*m_norm)(values));
    }

private:
    Embedding& m_tokens;
    Embedding& m_positions;
    Sequential& m_blocks;
    LayerNorm* m_norm = nullptr;
    Linear* m_head = nullptr;
};

} // namespace

std::unique_ptr<Module> makeVit(const ModelConfig& config, const DataShape& shape)
{
    return std::make_unique<Vit>(config, shape);
}

std::unique_ptr<Module> makeGpt(const ModelConfig& config, const DataShape& shape)
{
    return std::make_unique<Gpt>(config, shape);
}

} // namespace mantissa
