// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/kernels/bias_gelu_rows.h"

#include <ATen/Version.h>

namespace mantissa {

namespace kernels {

namespace DEFAULT {
BiasGeluRows biasGeluRows(c10::ScalarType type);
}
#ifdef __x86_64__
namespace AVX2 {
BiasGeluRows biasGeluRows(c10::ScalarType type);
}
namespace AVX512 {
BiasGeluRows biasGeluRows(c10::ScalarType type);
}
#endif

} // namespace kernels

BiasGeluRows biasGeluRows(c10::ScalarType type)
{
#ifdef __x86_64__
    static const std::string capability = at::get_cpu_capability();
    if (capability == "AVX512")
        return kernels::AVX512::biasGeluRows(type);
    if (capability == "AVX2")
        return kernels::AVX2::biasGeluRows(type);
#endif
    return kernels::DEFAULT::biasGeluRows(type);
}

} // namespace mantissa
