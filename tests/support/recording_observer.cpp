// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/recording_observer.h"

namespace mantissa::test {

namespace {

/// Calls `use` with every event of type T of `run`.
template <typename T, typename Use>
void forEach(const std::vector<RecordingObserver::Entry>& entries, int run, Use use)
{
    for (const auto& entry : entries) {
        if (entry.run != run || entry.isState)
            continue;
        if (const T* event = std::get_if<T>(&entry.event))
            use(*event);
    }
}

} // namespace

void RecordingObserver::onEvent(int run, const RunEvent& event)
{
    const std::lock_guard lock(m_mutex);
    m_entries.push_back({run, Clock::now(), false, event, {}});
}

void RecordingObserver::onState(int run, const RunOutcome& outcome)
{
    const std::lock_guard lock(m_mutex);
    m_entries.push_back({run, Clock::now(), true, {}, outcome});
}

void RecordingObserver::onAllEnded()
{
    const std::lock_guard lock(m_mutex);
    ++m_allEndedCalls;
}

std::vector<RecordingObserver::Entry> RecordingObserver::entries() const
{
    const std::lock_guard lock(m_mutex);
    return m_entries;
}

int RecordingObserver::allEndedCalls() const
{
    const std::lock_guard lock(m_mutex);
    return m_allEndedCalls;
}

std::int64_t RecordingObserver::lastStep(int run) const
{
    const std::lock_guard lock(m_mutex);
    std::int64_t last = 0;
    forEach<Samples>(m_entries, run,
        [&](const Samples& samples) { last = samples.firstStep + samples.count - 1; });
    return last;
}

std::vector<double> RecordingObserver::samples(int run, std::string_view series) const
{
    const std::lock_guard lock(m_mutex);
    std::vector<double> values;
    forEach<Samples>(m_entries, run, [&](const Samples& samples) {
        for (const auto& one : samples.series) {
            if (one.name == series)
                values.insert(values.end(), one.values.begin(), one.values.end());
        }
    });
    return values;
}

std::vector<std::int64_t> RecordingObserver::steps(int run) const
{
    const std::lock_guard lock(m_mutex);
    std::vector<std::int64_t> steps;
    forEach<Samples>(m_entries, run, [&](const Samples& samples) {
        for (std::int64_t i = 0; i < samples.count; ++i)
            steps.push_back(samples.firstStep + i);
    });
    return steps;
}

std::vector<std::string> RecordingObserver::notes(int run) const
{
    const std::lock_guard lock(m_mutex);
    std::vector<std::string> notes;
    forEach<LifecycleEvent>(m_entries, run, [&](const LifecycleEvent& event) {
        if (event.kind == event_kind::kHostNote)
            notes.push_back(event.message);
    });
    return notes;
}

std::vector<RunState> RecordingObserver::states(int run) const
{
    const std::lock_guard lock(m_mutex);
    std::vector<RunState> states;
    for (const auto& entry : m_entries) {
        if (entry.run == run && entry.isState)
            states.push_back(entry.outcome.state);
    }
    return states;
}

std::size_t RecordingObserver::count(int run, std::string_view lifecycleKind) const
{
    const std::lock_guard lock(m_mutex);
    std::size_t count = 0;
    forEach<LifecycleEvent>(m_entries, run,
        [&](const LifecycleEvent& event) { count += event.kind == lifecycleKind ? 1 : 0; });
    return count;
}

} // namespace mantissa::test
