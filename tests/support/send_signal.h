// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProcess>
#include <csignal>

namespace mantissa::test {

/// Signals a child, if it has not ended: its number is 0 then, and kill(0) would hit the test's
/// whole process group.
inline void sendSignal(const QProcess& process, int number)
{
    if (const auto pid = static_cast<pid_t>(process.processId()); pid > 0)
        ::kill(pid, number);
}

} // namespace mantissa::test
