// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/fake_worker/fake_faults.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <map>
#include <random>
#include <thread>
#include <unistd.h>

namespace mantissa::test {

namespace {

using namespace std::chrono_literals;

[[noreturn]] void sleepForEver()
{
    for (;;)
        std::this_thread::sleep_for(1h);
}

void exitEarly(FakeHostLink&)
{
    std::fputs("loading\nfake: out of luck\n", stderr);
    std::_Exit(3);
}

/// Deaf and mute, also to SIGTERM.
void hang(FakeHostLink& link)
{
    std::signal(SIGTERM, SIG_IGN);
    link.goSilent();
    sleepForEver();
}

void flood(FakeHostLink& link)
{
    for (;;)
        link.sendLine("Downloading: 12% [=====>                         ]");
}

void brokenJson(FakeHostLink& link)
{
    link.sendLine("{\"type\":\"samples\",\"first_step\":1,\"cou");
}

void wrongVersion(FakeHostLink& link)
{
    Hello hello;
    hello.protocol = 99;
    link.send(hello);
}

void closeOutput(FakeHostLink& link)
{
    link.goSilent();
    ::close(STDOUT_FILENO);
    sleepForEver();
}

void closeInput(FakeHostLink& link)
{
    link.ignoreEndOfInput();
    // A read() that is under way still takes one command.
    ::dup2(::open("/dev/null", O_WRONLY), STDIN_FILENO);
}

void longLine(FakeHostLink& link)
{
    link.sendLine(std::string(kMaxLineBytes + 1, 'x'));
}

void noise(FakeHostLink& link)
{
    std::mt19937_64 random(3);
    std::string bytes(20'000, '\0'); // with about 80 newlines
    for (char& byte : bytes)
        byte = static_cast<char>(random());
    link.sendLine(bytes);
}

void lyingCounts(FakeHostLink& link)
{
    link.sendLine("{\"type\":\"samples\",\"first_step\":1,\"count\":1000000000000,"
                  "\"series\":{\"loss\":[1,2]}}");
    Samples beyond;
    beyond.firstStep = 1'000'000;
    beyond.count = 1;
    beyond.series.push_back({"loss", {0.5}});
    link.send(beyond);
}

void manyEvents(FakeHostLink& link)
{
    LifecycleEvent event;
    event.kind = event_kind::kWarning;
    event.message = std::string(1000, 'w');
    for (int i = 0; i < 2000; ++i)
        link.send(event);
}

} // namespace

bool FakeFaults::mayPlay()
{
    if (m_played || (!m_options.faultVariant.empty() && m_options.faultVariant != m_variant))
        return false;
    m_played = true;
    if (m_options.faultOnce.empty())
        return true;
    const int fd = ::open(m_options.faultOnce.c_str(), O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0)
        ::close(fd);
    return fd >= 0;
}

void FakeFaults::at(std::string_view phase)
{
    if (m_options.phase == phase && mayPlay())
        play();
}

void FakeFaults::play()
{
    const std::map<std::string, std::function<void(FakeHostLink&)>> faults{
        {"kill", [](FakeHostLink&) { std::raise(SIGKILL); }},
        {"segv",
            [](FakeHostLink&) {
                std::signal(SIGSEGV, SIG_DFL);
                std::raise(SIGSEGV);
            }},
        {"exit", exitEarly},
        {"hang", hang},
        {"flood", flood},
        {"broken-json", brokenJson},
        {"wrong-version", wrongVersion},
        {"close-output", closeOutput},
        {"close-input", closeInput},
        {"long-line", longLine},
        {"noise", noise},
        {"lying-counts", lyingCounts},
        {"many-events", manyEvents},
        {"slow",
            [this](FakeHostLink&) {
                std::this_thread::sleep_for(std::chrono::milliseconds(m_options.slowMs));
            }},
    };
    faults.at(m_options.fault)(m_link);
}

} // namespace mantissa::test
