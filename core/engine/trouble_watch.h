// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace mantissa {

/// What went wrong in a step.
enum class Trouble {
    Skip, ///< the first skipped step, or one long after the last that was looked into
    SkipAfterRest, ///< the first skip after TroubleWatch::kRest steps without
    Loss, ///< the loss is not finite
    Gradient, ///< the loss is finite, a gradient is not, and no scaler skipped the step
    Anomaly, ///< LibTorch's anomaly mode broke the step off; TroubleWatch does not say this
};
/// "skip", "skip_after_rest", "loss", "gradient", "anomaly".
std::string_view toString(Trouble trouble);

/// A step as it is judged; all of it is known on the host anyway.
struct StepSigns {
    std::int64_t step = 0; ///< 1-based
    bool skipped = false;
    bool lossFinite = true;
    bool gradientFinite = true; ///< true where nobody took the norm

    bool fine() const { return !skipped && lossFinite && gradientFinite; }
};

/// Decides which steps are worth a replay: each kind of trouble the first time, and again once
/// there was none of it for long. Pure; one thread.
class TroubleWatch {
public:
    /// Steps without a skip after which the scale counts as settled.
    static constexpr std::int64_t kRest = 10;

    /// `every`: the least distance in steps between two looks at the same kind.
    explicit TroubleWatch(std::int64_t every);

    /// What is new in the step; nothing if all is well or known. Steps come in order.
    std::optional<Trouble> look(const StepSigns& signs);
    /// What look() would say.
    std::optional<Trouble> wouldSay(const StepSigns& signs) const;

private:
    struct Seen {
        std::int64_t last = 0; ///< step that had it last; 0 = none had
        std::int64_t looked = 0; ///< the last that was worth a replay
    };

    std::optional<Trouble> ofSkip(std::int64_t step) const;
    bool isNew(const Seen& seen, std::int64_t step) const;

    std::int64_t m_every;
    Seen m_skip;
    Seen m_rest;
    Seen m_loss;
    Seen m_gradient;
};

} // namespace mantissa
