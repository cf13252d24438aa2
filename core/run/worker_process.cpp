// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/worker_process.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <linux/close_range.h>

extern char** environ;

namespace mantissa {

namespace {

constexpr int kNice = 5;

void closeFd(int& fd)
{
    if (fd >= 0)
        ::close(fd);
    fd = -1;
}

/// Both ends of a pipe, closed on destruction unless taken.
struct Pipe {
    int readEnd = -1;
    int writeEnd = -1;

    bool open()
    {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0)
            return false;
        readEnd = ends[0];
        writeEnd = ends[1];
        return true;
    }
    ~Pipe()
    {
        closeFd(readEnd);
        closeFd(writeEnd);
    }
    static int take(int& end)
    {
        ::fcntl(end, F_SETFL, ::fcntl(end, F_GETFL) | O_NONBLOCK);
        return std::exchange(end, -1);
    }
};

/// argv and envp, made before fork(): between fork and exec nothing may be allocated.
class ExecStrings {
public:
    explicit ExecStrings(std::vector<std::string> strings)
        : m_strings(std::move(strings))
    {
        for (auto& string : m_strings)
            m_pointers.push_back(string.data());
        m_pointers.push_back(nullptr);
    }
    char* const* data() { return m_pointers.data(); }

private:
    std::vector<std::string> m_strings;
    std::vector<char*> m_pointers;
};

std::vector<std::string> argumentsOf(const WorkerProgram& program)
{
    std::vector<std::string> arguments{program.program.string()};
    arguments.insert(arguments.end(), program.arguments.begin(), program.arguments.end());
    return arguments;
}

std::vector<std::string> environmentFor(const std::filesystem::path& torchFolder)
{
    constexpr std::string_view kName = "LD_LIBRARY_PATH=";
    std::vector<std::string> environment;
    std::string libraryPath;
    for (char** entry = environ; *entry; ++entry) {
        const std::string_view text = *entry;
        if (!torchFolder.empty() && text.rfind(kName, 0) == 0)
            libraryPath = text.substr(kName.size());
        else
            environment.emplace_back(text);
    }
    if (!torchFolder.empty()) {
        auto first = std::string(kName) + (torchFolder / "lib").string();
        environment.push_back(libraryPath.empty() ? first : first + ":" + libraryPath);
    }
    return environment;
}

/// In the child after fork(): async-signal-safe calls only. Never returns.
[[noreturn]] void becomeWorker(
    int input, int output, int errors, int failure, char* const* argv, char* const* envp)
{
    ::setpgid(0, 0);
    sigset_t none;
    sigemptyset(&none);
    ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
    ::signal(SIGPIPE, SIG_DFL);
    ::signal(SIGINT, SIG_DFL);
    ::signal(SIGTERM, SIG_DFL);
    if (::nice(kNice) == -1) {
        // Already at the lowest priority: fine.
    }
    ::dup2(input, STDIN_FILENO);
    ::dup2(output, STDOUT_FILENO);
    ::dup2(errors, STDERR_FILENO);
    ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
    ::execve(argv[0], argv, envp);
    const int error = errno;
    if (::write(failure, &error, sizeof error) < 0) {
        // Nobody is left to be told.
    }
    ::_exit(127);
}

/// 0 once exec has happened (its pipe closed without a word), else the errno it failed with.
int execError(int failurePipe)
{
    int error = 0;
    ssize_t got = 0;
    do {
        got = ::read(failurePipe, &error, sizeof error);
    } while (got < 0 && errno == EINTR);
    return got == sizeof error ? error : 0;
}

std::string execFailure(const std::filesystem::path& program, int error)
{
    if (error == ENOENT)
        return fmt::format("cannot start the worker: {} does not exist", program.string());
    if (error == EACCES)
        return fmt::format("cannot start the worker: {} is not executable", program.string());
    return fmt::format("cannot start the worker {}: {}", program.string(), std::strerror(error));
}

/// Keeps SIGPIPE from the calling thread while it writes to a pipe whose reader may be gone.
class SigpipeGuard {
public:
    SigpipeGuard()
    {
        sigemptyset(&m_sigpipe);
        sigaddset(&m_sigpipe, SIGPIPE);
        ::pthread_sigmask(SIG_BLOCK, &m_sigpipe, &m_before);
    }
    ~SigpipeGuard()
    {
        const timespec noWait{};
        if (sigismember(&m_before, SIGPIPE) == 0)
            ::sigtimedwait(&m_sigpipe, nullptr, &noWait);
        ::pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
    }
    SigpipeGuard(const SigpipeGuard&) = delete;
    SigpipeGuard& operator=(const SigpipeGuard&) = delete;

private:
    sigset_t m_sigpipe;
    sigset_t m_before;
};

} // namespace

std::string ExitStatus::words() const
{
    if (signal == 0)
        return fmt::format("exited with code {}", code);
    const char* name = ::sigabbrev_np(signal);
    return name ? fmt::format("killed by signal {} (SIG{})", signal, name)
                : fmt::format("killed by signal {}", signal);
}

std::string missingTorchHint(std::string_view errors)
{
    if (errors.find("error while loading shared libraries: lib") == std::string_view::npos)
        return {};
    if (errors.find("libtorch") == std::string_view::npos
        && errors.find("libc10") == std::string_view::npos)
        return {};
    return "; the worker did not find LibTorch: set MANTISSA_TORCH to the folder of "
           "LibTorch 2.11.0 (it holds lib/libtorch_cpu.so)";
}

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::start(const WorkerProgram& program)
{
    Pipe input, output, errors, failure;
    if (!input.open() || !output.open() || !errors.open() || !failure.open())
        return fail(fmt::format("cannot start the worker: no pipes: {}", std::strerror(errno)));
    ExecStrings argv(argumentsOf(program));
    ExecStrings envp(environmentFor(program.torchFolder));
    const pid_t pid = ::fork();
    if (pid < 0)
        return fail(fmt::format("cannot start the worker: {}", std::strerror(errno)));
    if (pid == 0)
        becomeWorker(input.readEnd, output.writeEnd, errors.writeEnd, failure.writeEnd, argv.data(),
            envp.data());
    closeFd(failure.writeEnd);
    if (const int error = execError(failure.readEnd); error != 0) {
        ::waitpid(pid, nullptr, 0);
        return fail(execFailure(program.program, error));
    }
    std::unique_ptr<WorkerProcess> process(new WorkerProcess);
    process->m_pid = pid;
    process->m_input = Pipe::take(input.writeEnd);
    process->m_output = Pipe::take(output.readEnd);
    process->m_errors = Pipe::take(errors.readEnd);
    process->m_buffer = std::make_unique<std::array<char, 256 * 1024>>();
    return process;
}

WorkerProcess::~WorkerProcess()
{
    if (!m_exit) {
        signal(SIGKILL);
        // A killed process is gone in a moment unless the kernel holds it (a dead disk).
        for (int i = 0; i < 200 && !reap(); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    closeFd(m_input);
    closeFd(m_output);
    closeFd(m_errors);
}

void WorkerProcess::send(std::string_view line)
{
    if (m_input < 0)
        return;
    m_pending += line;
    m_pending += '\n';
    writePending();
}

void WorkerProcess::writePending()
{
    if (m_input < 0 || m_pending.empty())
        return;
    const SigpipeGuard guard;
    const ssize_t written = ::write(m_input, m_pending.data(), m_pending.size());
    if (written > 0) {
        m_pending.erase(0, static_cast<std::size_t>(written));
    } else if (written < 0 && errno != EAGAIN && errno != EINTR) {
        m_inputBroken = true;
        closeInput();
    }
}

void WorkerProcess::closeInput()
{
    m_pending.clear();
    closeFd(m_input);
}

std::string_view WorkerProcess::read(Channel channel)
{
    int& from = channel == Channel::Output ? m_output : m_errors;
    if (from < 0)
        return {};
    const ssize_t got = ::read(from, m_buffer->data(), m_buffer->size());
    if (got > 0)
        return {m_buffer->data(), static_cast<std::size_t>(got)};
    if (got == 0 || (errno != EAGAIN && errno != EINTR))
        closeFd(from);
    return {};
}

void WorkerProcess::appendPollFds(std::vector<pollfd>& fds) const
{
    if (m_input >= 0 && !m_pending.empty())
        fds.push_back({m_input, POLLOUT, 0});
    if (m_output >= 0)
        fds.push_back({m_output, POLLIN, 0});
    if (m_errors >= 0)
        fds.push_back({m_errors, POLLIN, 0});
}

void WorkerProcess::signal(int number)
{
    if (m_pid > 0 && !m_exit)
        ::kill(-m_pid, number);
}

std::optional<ExitStatus> WorkerProcess::reap()
{
    if (m_exit)
        return m_exit;
    siginfo_t info{};
    const auto id = static_cast<id_t>(m_pid);
    if (::waitid(P_PID, id, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0)
        return std::nullopt;
    // What the worker started must not outlive it; the group's number is ours until waitpid().
    ::kill(-m_pid, SIGKILL);
    int status = 0;
    ExitStatus exit;
    if (::waitpid(m_pid, &status, 0) == m_pid) {
        exit.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        exit.code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    }
    m_exit = exit;
    return m_exit;
}

} // namespace mantissa
