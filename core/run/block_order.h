// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

namespace mantissa {

/// Whose turn it is when variants train in blocks: forward, then reversed, and so on (ABBA,
/// ABCCBA), so that a slow drift of the machine hits every variant alike. Pure.
class BlockOrder {
public:
    /// Members 0 ... count - 1.
    explicit BlockOrder(int count);

    /// The next member's turn; nothing when all have been dropped.
    std::optional<int> next();
    /// `member` has ended and gets no more turns.
    void drop(int member);

private:
    std::vector<bool> m_in;
    std::vector<int> m_round; ///< turns left in this round, next one last
    bool m_forward = false; ///< direction of the round in m_round
};

} // namespace mantissa
