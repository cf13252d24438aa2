// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstddef>

namespace mantissa {

/// Lets a burst of notes through and then one at a time; the rest is counted, not lost.
class NoteLimiter {
public:
    using Clock = std::chrono::steady_clock;

    /// `burst` at once, then one each `every`.
    NoteLimiter(std::size_t burst, std::chrono::milliseconds every)
        : m_burst(burst)
        , m_tokens(burst)
        , m_every(every)
    {
    }

    bool allow(Clock::time_point now)
    {
        while (m_tokens < m_burst && now - m_refilled >= m_every) {
            ++m_tokens;
            m_refilled += m_every;
        }
        if (m_tokens == m_burst)
            m_refilled = now;
        if (m_tokens == 0) {
            ++m_suppressed;
            return false;
        }
        --m_tokens;
        return true;
    }

    /// How many were held back since the last call.
    std::size_t takeSuppressed()
    {
        const auto count = m_suppressed;
        m_suppressed = 0;
        return count;
    }

private:
    std::size_t m_burst;
    std::size_t m_tokens;
    std::chrono::milliseconds m_every;
    Clock::time_point m_refilled{};
    std::size_t m_suppressed = 0;
};

} // namespace mantissa
