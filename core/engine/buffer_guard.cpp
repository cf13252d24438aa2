// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/buffer_guard.h"

#include <ATen/ATen.h>
#include <utility>

namespace mantissa {

BufferGuard::BufferGuard(std::vector<NamedTensor> buffers)
    : m_buffers(std::move(buffers))
{
    for (const auto& buffer : m_buffers)
        m_before.push_back(at::empty_like(buffer.tensor));
}

void BufferGuard::beginStep()
{
    const at::NoGradGuard noGrad;
    for (std::size_t i = 0; i < m_buffers.size(); ++i)
        m_before[i].copy_(m_buffers[i].tensor, true);
}

BufferGuard::Change BufferGuard::endSkipped(bool rollback)
{
    const at::NoGradGuard noGrad;
    Change change;
    for (std::size_t i = 0; i < m_buffers.size(); ++i) {
        const auto& [name, tensor] = m_buffers[i];
        if (at::equal(tensor, m_before[i]))
            continue;
        change.changed.push_back(name);
        if (tensor.is_floating_point() && !at::isfinite(tensor).all().item<bool>())
            change.nonFinite.push_back(name);
        if (rollback)
            tensor.copy_(m_before[i]);
    }
    return change;
}

void BufferGuard::rollBackIf(const at::Tensor& foundInf)
{
    const at::NoGradGuard noGrad;
    const auto skipped = foundInf.ne(0);
    for (std::size_t i = 0; i < m_buffers.size(); ++i) {
        const auto& tensor = m_buffers[i].tensor;
        tensor.copy_(at::where(skipped, m_before[i], tensor));
    }
}

} // namespace mantissa
