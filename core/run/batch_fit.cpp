// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/batch_fit.h"

#include <algorithm>
#include <cmath>

namespace mantissa {

namespace {

constexpr std::size_t kMostTrials = 12;
constexpr double kTolerance = 0.05;
constexpr double kNear = 1.02; ///< a guess this close to what fits is not worth a trial

class Search {
public:
    Search(double limit, std::int64_t most, const FitFunction& trial)
        : m_limit(limit)
        , m_most(most)
        , m_above(most + 1)
        , m_trial(trial)
    {
    }

    Result<BatchFit> run(std::int64_t first)
    {
        first = std::clamp<std::int64_t>(first, 1, m_most);
        for (const auto batch : {first, std::min(first * 2, m_most)}) {
            if (batch > m_below && batch < m_above && !attempt(batch))
                return tl::unexpected(*m_error);
        }
        // Two trials are kept for the verification.
        while (m_fit.trials.size() + 2 < kMostTrials && !closeEnough()) {
            if (!attempt(next()))
                return tl::unexpected(*m_error);
        }
        return verified();
    }

private:
    /// Tries a size; false after an Error.
    bool attempt(std::int64_t batch, bool verify = false)
    {
        const auto peak = m_trial(batch, verify);
        if (!peak) {
            m_error = peak.error();
            return false;
        }
        m_fit.trials.push_back({batch, *peak});
        const bool fits = *peak && **peak <= m_limit;
        m_sameSide = fits == m_lastFitted ? m_sameSide + 1 : 1;
        m_lastFitted = fits;
        if (fits) {
            m_below = std::max(m_below, batch);
        } else {
            m_above = std::min(m_above, batch);
            m_below = std::min(m_below, batch - 1);
        }
        return true;
    }

    /// The answer may be at most 5 % below the largest size that may still fit.
    bool closeEnough() const
    {
        const auto mayFit = static_cast<double>(m_above - 1);
        return static_cast<double>(m_below) >= mayFit * (1 - kTolerance) || m_below + 1 == m_above;
    }

    /// Where the line through two measured sizes meets the limit. Once that fits, the
    /// next size is the smallest that would prove it close enough.
    std::int64_t next() const
    {
        const auto proof =
            static_cast<std::int64_t>(std::ceil(static_cast<double>(m_below) / (1 - kTolerance)));
        // By magnitudes: the limit may be anywhere between some and all samples.
        const auto middle = static_cast<std::int64_t>(
            std::sqrt(static_cast<double>(std::max<std::int64_t>(m_below, 1))
                * static_cast<double>(m_above)));
        // Twice on the same side: the peaks do not follow the line.
        const bool lineHelps = m_sameSide < 2 || m_above > m_most;
        const auto guess = lineHelps ? predicted().value_or(middle) : middle;
        const bool near = static_cast<double>(guess) <= static_cast<double>(m_below) * kNear;
        const auto wanted = near ? std::max(proof, m_below + 1) : guess;
        if (wanted >= m_above)
            return std::clamp(middle, m_below + 1, m_above - 1);
        return wanted;
    }

    std::optional<std::int64_t> predicted() const
    {
        std::vector<FitTrial> known;
        for (const auto& trial : m_fit.trials) {
            if (trial.peakBytes)
                known.push_back(trial);
        }
        // The nearest to the limit on both sides, or the two largest where all fit.
        std::sort(known.begin(), known.end(), [this](const FitTrial& a, const FitTrial& b) {
            return std::abs(*a.peakBytes - m_limit) > std::abs(*b.peakBytes - m_limit);
        });
        if (known.size() < 2)
            return std::nullopt;
        const auto& b = known.back();
        const bool fitted = *b.peakBytes <= m_limit;
        auto other = std::find_if(known.rbegin() + 1, known.rend(),
            [&](const FitTrial& trial) { return (*trial.peakBytes <= m_limit) != fitted; });
        if (other == known.rend())
            other = known.rbegin() + 1;
        const auto& a = *other;
        const double slope = (*b.peakBytes - *a.peakBytes) / static_cast<double>(b.batch - a.batch);
        if (!(slope > 0))
            return std::nullopt;
        const double batch = static_cast<double>(a.batch) + (m_limit - *a.peakBytes) / slope;
        return static_cast<std::int64_t>(
            std::clamp(std::floor(batch), 1.0, static_cast<double>(m_most)));
    }

    Result<BatchFit> verified()
    {
        while (m_below > 0 && m_fit.trials.size() < kMostTrials) {
            const auto batch = m_below;
            if (!attempt(batch, true))
                return tl::unexpected(*m_error);
            const auto& last = m_fit.trials.back();
            if (last.peakBytes && *last.peakBytes <= m_limit) {
                m_fit.batch = batch;
                m_fit.peakBytes = *last.peakBytes;
                m_fit.limitedByData = batch == m_most;
                break;
            }
            // It does not hold for longer: a little less.
            m_below = static_cast<std::int64_t>(static_cast<double>(batch) * (1 - kTolerance));
        }
        return m_fit;
    }

    double m_limit;
    std::int64_t m_most;
    std::int64_t m_below = 0; ///< the largest that fits
    std::int64_t m_above; ///< the smallest that does not
    bool m_lastFitted = false;
    int m_sameSide = 0; ///< trials in a row that all fitted, or all did not
    const FitFunction& m_trial;
    BatchFit m_fit;
    std::optional<Error> m_error;
};

} // namespace

Result<BatchFit> fitBatch(
    double limitBytes, std::int64_t first, std::int64_t most, const FitFunction& trial)
{
    return Search(limitBytes, std::max<std::int64_t>(most, 1), trial).run(first);
}

} // namespace mantissa
