// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mantissa {

/// A tensor that an operator was called with.
struct CallTensor {
    std::string dtype; ///< "fp32", "bf16", "int64", ...: see byteSize()
    std::vector<std::int64_t> shape;

    std::int64_t count() const; ///< of its elements; 1 for a scalar tensor
    double bytes() const;
};

/// One argument of a call: a tensor, a list of tensors, or whole numbers (true = 1).
struct CallArgument {
    std::vector<CallTensor> tensors;
    std::vector<std::int64_t> integers;
};

/// One call of an operator as the profiler saw it, with the calls that it made.
struct ProfiledCall {
    std::string name; ///< "mm": without "aten::"; kStepScope for the scope of a step
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    std::int64_t deviceNs = 0; ///< of the kernels that this very call started on a GPU
    std::vector<CallArgument> arguments;
    std::vector<ProfiledCall> children; ///< in the order of their start

    std::int64_t durationNs() const { return endNs - startNs; }
    std::int64_t selfNs() const; ///< without its children
    const CallTensor* tensor(std::size_t argument) const; ///< nullptr if that is no tensor
    bool has(std::string_view child) const; ///< among its direct children
};

/// Name of the scope that the trainer opens around each step.
inline constexpr const char* kStepScope = "train_step";

/// Bytes of an element: "bf16" -> 2. 0 if the type is not known.
double byteSize(std::string_view dtype);
bool isFloating(std::string_view dtype);

} // namespace mantissa
