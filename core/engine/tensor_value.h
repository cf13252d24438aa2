// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

namespace mantissa {

/// The value of a one-element fp32 tensor: from memory on the CPU, a synchronising read elsewhere.
inline float floatValue(const at::Tensor& tensor)
{
    if (tensor.device().is_cpu() && tensor.scalar_type() == at::kFloat)
        return *tensor.const_data_ptr<float>();
    return tensor.item<float>();
}

} // namespace mantissa
