// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace mantissa::cli {

/// Counts Ctrl-C (SIGINT), SIGTERM and SIGHUP while it lives, instead of ending the program.
/// One at a time.
class InterruptCounter {
public:
    InterruptCounter();
    ~InterruptCounter();
    InterruptCounter(const InterruptCounter&) = delete;
    InterruptCounter& operator=(const InterruptCounter&) = delete;

    int count() const;
};

} // namespace mantissa::cli
