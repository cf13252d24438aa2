// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/trouble_watch.h"

#include <array>

namespace mantissa {

std::string_view toString(Trouble trouble)
{
    constexpr std::array<std::string_view, 5> words{
        "skip", "skip_after_rest", "loss", "gradient", "anomaly"};
    return words.at(static_cast<std::size_t>(trouble));
}

TroubleWatch::TroubleWatch(std::int64_t every)
    : m_every(every)
{
}

/// The first time, and again after `every` steps without: one that goes on is the same trouble.
bool TroubleWatch::isNew(const Seen& seen, std::int64_t step) const
{
    return seen.last == 0 || step - seen.last >= m_every;
}

std::optional<Trouble> TroubleWatch::ofSkip(std::int64_t step) const
{
    if (m_skip.last == 0)
        return Trouble::Skip;
    const bool rested = step - m_skip.last > kRest;
    if (rested && (m_rest.looked == 0 || step - m_rest.looked >= m_every))
        return Trouble::SkipAfterRest;
    // Skips without end are looked into from time to time: their cause may change.
    if (step - m_skip.looked >= m_every)
        return Trouble::Skip;
    return std::nullopt;
}

std::optional<Trouble> TroubleWatch::wouldSay(const StepSigns& signs) const
{
    if (!signs.lossFinite && isNew(m_loss, signs.step))
        return Trouble::Loss;
    if (signs.skipped)
        return ofSkip(signs.step);
    const bool gradientAlone = !signs.gradientFinite && signs.lossFinite;
    return gradientAlone && isNew(m_gradient, signs.step) ? std::optional(Trouble::Gradient)
                                                          : std::nullopt;
}

std::optional<Trouble> TroubleWatch::look(const StepSigns& signs)
{
    if (signs.fine())
        return std::nullopt;
    const auto said = wouldSay(signs);
    if (said == Trouble::SkipAfterRest)
        m_rest.looked = signs.step;
    if (signs.skipped) {
        m_skip.last = signs.step;
        m_skip.looked = said ? signs.step : m_skip.looked;
    }
    if (!signs.lossFinite)
        m_loss.last = signs.step;
    else if (!signs.gradientFinite && !signs.skipped)
        m_gradient.last = signs.step;
    return said;
}

} // namespace mantissa
