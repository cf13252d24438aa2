// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/module.h"

#include <ATen/record_function.h>

namespace mantissa {

/// An in-place operator that rounded a wider operand into a low-precision tensor.
struct InPlaceFinding {
    std::string module; ///< path of the innermost module whose forward did it; "" = the root
    std::string operation; ///< "aten::add_"
    c10::ScalarType self; ///< of the tensor written to: fp16 or bf16, and so it stays
    c10::ScalarType other; ///< of the operand
};

/// Finds what autocast cannot protect: x.add_(y) has no rule, so with x in fp16 (a layer's output)
/// and y in fp32 the sum is rounded to fp16 without a word, where x + y would give fp32. Watches
/// `root`'s calls on this thread for as long as it lives; takes the place of another observer.
/// Slow: for checks, not for training.
class InPlaceWatch : public ModuleObserver {
public:
    explicit InPlaceWatch(Module& root);
    ~InPlaceWatch() override;

    const std::vector<InPlaceFinding>& findings() const { return m_findings; }

    void before(const Module& module, const at::Tensor& input) override;
    void after(const Module& module, const at::Tensor& input, const at::Tensor& output) override;

private:
    static std::unique_ptr<at::ObserverContext> look(const at::RecordFunction& function);

    Module& m_root;
    at::CallbackHandle m_handle;
    std::vector<std::string> m_path; ///< of the modules being called, outermost first
    std::vector<InPlaceFinding> m_findings;
};

} // namespace mantissa
