// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

struct pollfd;

namespace mantissa {

/// What to start.
struct WorkerProgram {
    std::filesystem::path program; ///< a path, not looked up in PATH
    std::vector<std::string> arguments;
    std::filesystem::path
        torchFolder; ///< its lib/ goes first in LD_LIBRARY_PATH; empty = no change
};

/// How a process ended.
struct ExitStatus {
    int code = 0; ///< exit code; meaningless if signal != 0
    int signal = 0; ///< the signal that ended it, 0 = it exited by itself

    /// "exited with code 3", "killed by signal 9 (SIGKILL)".
    std::string words() const;
};

/// What to do where the loader's message in `errors` (stderr's end) says that LibTorch is missing,
/// as the end of a sentence; else empty.
std::string missingTorchHint(std::string_view errors);

/// A child process with pipes on stdin, stdout and stderr, in a process group of its own (a Ctrl-C
/// at the terminal does not reach it) and at nice 5 (the window stays responsive). Nothing here
/// waits; the caller polls. For one thread.
class WorkerProcess {
public:
    enum class Channel { Output, Errors };

    /// A program that is missing or cannot be executed is an Error here, not a dead process.
    [[nodiscard]] static Result<std::unique_ptr<WorkerProcess>> start(const WorkerProgram& program);
    /// Kills the whole group if the process still runs.
    ~WorkerProcess();
    WorkerProcess(const WorkerProcess&) = delete;
    WorkerProcess& operator=(const WorkerProcess&) = delete;

    pid_t pid() const { return m_pid; }

    /// Queues a line (newline added) and writes what the pipe takes.
    void send(std::string_view line);
    /// Writes more of what is queued.
    void writePending();
    /// The process has closed its stdin: what is sent now is lost.
    bool inputBroken() const { return m_inputBroken; }
    /// Something of what was sent is still to be written.
    bool hasPending() const { return !m_pending.empty() && !m_inputBroken; }
    /// Closes stdin, which asks a worker to end. Queued lines that do not fit the pipe are lost.
    void closeInput();

    /// Bytes that are there, at most 256 KiB; valid until the next call. Empty = none now or
    /// closed.
    std::string_view read(Channel channel);
    bool isOpen(Channel channel) const { return fd(channel) >= 0; }

    /// Adds what poll() should wait for.
    void appendPollFds(std::vector<pollfd>& fds) const;

    /// Sends a signal to the whole group.
    void signal(int number);
    /// The exit status once the process has ended (and its group has been cleared), else nothing.
    std::optional<ExitStatus> reap();

private:
    WorkerProcess() = default;
    int fd(Channel channel) const { return channel == Channel::Output ? m_output : m_errors; }

    pid_t m_pid = -1;
    int m_input = -1; ///< our ends of the pipes; -1 = closed
    int m_output = -1;
    int m_errors = -1;
    bool m_inputBroken = false;
    std::string m_pending; ///< not yet written to stdin
    std::optional<ExitStatus> m_exit;
    std::unique_ptr<std::array<char, 256 * 1024>> m_buffer;
};

} // namespace mantissa
