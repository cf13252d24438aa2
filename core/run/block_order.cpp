// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/block_order.h"

#include <algorithm>

namespace mantissa {

BlockOrder::BlockOrder(int count)
    : m_in(static_cast<std::size_t>(count), true)
{
}

std::optional<int> BlockOrder::next()
{
    while (std::find(m_in.begin(), m_in.end(), true) != m_in.end()) {
        if (m_round.empty()) {
            m_forward = !m_forward;
            for (int member = 0; member < static_cast<int>(m_in.size()); ++member)
                m_round.push_back(member);
            if (m_forward)
                std::reverse(m_round.begin(), m_round.end());
        }
        const int member = m_round.back();
        m_round.pop_back();
        if (m_in[static_cast<std::size_t>(member)])
            return member;
    }
    return std::nullopt;
}

void BlockOrder::drop(int member)
{
    m_in[static_cast<std::size_t>(member)] = false;
}

} // namespace mantissa
