// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/module.h"
#include "core/engine/non_finite.h"

#include <optional>
#include <vector>

namespace mantissa {

/// Looks at every tensor that passes a module's border, forward and backward, and keeps the first
/// one that is not finite, in the order of computation. For one pass; the graph of that pass must
/// not be used after the recorder is gone. One thread.
class NonFiniteRecorder : public ModuleObserver {
public:
    /// `watched`: a place whose largest magnitude is wanted in this pass (of one micro-batch).
    NonFiniteRecorder(
        const std::vector<NamedTensor>& parameters, std::optional<NonFiniteTensor> watched);
    ~NonFiniteRecorder() override; ///< takes its hooks off the parameters

    void before(const Module& module, const at::Tensor& input) override;
    void after(const Module& module, const at::Tensor& input, const at::Tensor& output) override;
    /// A tensor that belongs to no module: loss, scaled loss.
    void look(TensorPlace place, const at::Tensor& tensor);
    /// The gradients as they are after all micro-batches.
    void lookAtGradientSums();
    void setMicroBatch(std::int64_t number) { m_microBatch = number; }

    const std::optional<NonFiniteTensor>& first() const { return m_first; }
    std::int64_t microBatchOfFirst() const { return m_microBatchOfFirst; }
    std::optional<double> watchedLargest() const { return m_watchedLargest; }

private:
    struct Spot {
        std::string module;
        TensorPlace place = TensorPlace::Output;
        std::string parameter = {};
        bool hasChildren = false;
    };

    void look(const Spot& spot, const at::Tensor& tensor);
    void hook(const Spot& spot, const at::Tensor& tensor);
    void note(const Spot& spot, const at::Tensor& tensor);
    bool isBetterName(const Spot& spot, const at::Tensor& tensor) const;

    const std::vector<NamedTensor>& m_parameters;
    std::vector<unsigned> m_hooks; ///< one a parameter that takes a gradient
    std::optional<NonFiniteTensor> m_watched;
    std::optional<double> m_watchedLargest;
    std::optional<NonFiniteTensor> m_first;
    at::Tensor m_firstTensor;
    std::int64_t m_microBatch = 1;
    std::int64_t m_microBatchOfFirst = 1;
};

} // namespace mantissa
