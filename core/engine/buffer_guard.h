// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/module.h"

#include <string>
#include <vector>

namespace mantissa {

/// Watches running statistics: a forward pass changes them also where the step is then skipped. One
/// thread.
class BufferGuard {
public:
    /// What a skipped step did to the buffers.
    struct Change {
        std::vector<std::string> changed; ///< names, as in Python
        std::vector<std::string> nonFinite; ///< of those: not finite after the step
    };

    explicit BufferGuard(std::vector<NamedTensor> buffers);

    /// Before the forward pass: remembers the values (one copy).
    void beginStep();
    /// After a step the host knows to be skipped. With `rollback` the buffers are then as they
    /// were before it.
    Change endSkipped(bool rollback);
    /// The same where only the device knows: puts the values back if `foundInf` is not 0, without
    /// a read by the host.
    void rollBackIf(const at::Tensor& foundInf);

private:
    std::vector<NamedTensor> m_buffers;
    std::vector<at::Tensor> m_before;
};

} // namespace mantissa
