// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/support/fake_worker/fake_host_link.h"
#include "tests/support/fake_worker/fake_options.h"

#include <string>
#include <string_view>

namespace mantissa::test {

/// Plays the one fault asked for, once, when its phase comes.
class FakeFaults {
public:
    FakeFaults(const FakeOptions& options, FakeHostLink& link)
        : m_options(options)
        , m_link(link)
    {
    }

    void setVariant(const std::string& name) { m_variant = name; }
    /// The worker has come to `phase`.
    void at(std::string_view phase);

private:
    bool mayPlay();
    void play();

    const FakeOptions& m_options;
    FakeHostLink& m_link;
    std::string m_variant;
    bool m_played = false;
};

} // namespace mantissa::test
