// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hardware/capability.h"

#include <ATen/core/Tensor.h>
#include <memory>
#include <string>
#include <vector>

namespace mantissa {

/// A size of a kind of work, the same in every format.
struct CheckShape {
    std::vector<std::int64_t> sizes; ///< what they mean depends on the work
    std::string text; ///< "1,024 × 1,024 × 1,024"
    double operations = 0; ///< floating-point operations of one execution; 0 where bytes count
    std::int64_t values = 0; ///< read and written by one execution, where bytes count
    std::int64_t memoryValues = 0; ///< held while it is measured
};

/// The sizes to try, growing: on a CPU up to what takes it some 20 ms in fp32, more on a GPU.
std::vector<CheckShape> checkShapes(CheckWork work, at::DeviceType device);

/// One execution of a kind of work in a format, on operands made ready once. Operands are random
/// from the seed, the same numbers in every format before rounding. What cannot run throws.
class CheckOperation {
public:
    virtual ~CheckOperation() = default;
    virtual void run() = 0;
    /// What the last run() computed, of whatever type.
    virtual at::Tensor result() const = 0;
};

std::unique_ptr<CheckOperation> makeCheckOperation(
    CheckWork work, const CheckShape& shape, CheckFormat format, at::Device device);
/// The operator behind a kind of work, for messages: "conv2d".
std::string_view operatorOf(CheckWork work);
at::ScalarType scalarTypeOf(CheckFormat format); ///< tf32 is stored as Float

/// Whether tf32 is on for the formats that it changes (matrix products and convolutions on CUDA).
void allowTf32(bool allowed);

} // namespace mantissa
