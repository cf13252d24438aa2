// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/module.h"

namespace mantissa {

/// torch.nn.LSTM(batch_first=True) from N x T x inputs to N x T x units, state starting at 0.
/// Where the kernel of a low precision does not exist on this machine (it throws), the operator
/// runs in fp32 outside autocast, from then on, and fallback() says why.
class Lstm : public Module {
public:
    Lstm(std::int64_t inputs, std::int64_t units, std::int64_t layers);

    std::string fallback() const override { return m_fallback; }

protected:
    at::Tensor forward(const at::Tensor& input) override;

private:
    at::Tensor run(const at::Tensor& input) const;
    at::Tensor runInFp32(const at::Tensor& input) const;

    std::int64_t m_units;
    std::int64_t m_layers;
    std::vector<at::Tensor> m_weights;
    std::string m_fallback;
};

} // namespace mantissa
