// SPDX-License-Identifier: GPL-3.0-or-later
// What a Session does about checkpoints, going on from one, and weights.
#include "app/worker/session.h"
#include "core/run/checkpoint_files.h"

#include <fmt/format.h>

namespace mantissa {

/// Counts and clock go on where the checkpoint's run was; false where it cannot be used.
bool Session::goOnFrom(const std::string& file)
{
    if (file.empty())
        return true;
    const auto point = readResumePoint(file);
    if (!point) {
        end(RunState::Failed, "The run cannot go on: " + point.error().message);
        return false;
    }
    m_options.resumeFrom = point->file;
    m_start -=
        std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(point->timeS));
    m_recorded = point->step;
    m_skipped = point->stepsSkipped;
    m_heart.setStep(point->step);
    return true;
}

void Session::announceResumed()
{
    if (m_options.resumeFrom.empty())
        return;
    const auto step = m_trainer->steps();
    m_checkpointStep = step;
    if (m_evalEvery > 0 && step % m_evalEvery == 0)
        m_validatedStep = step; // before the checkpoint was written
    event(event_kind::kResumedFrom, fmt::format("Resumed from the checkpoint of step {}.", step),
        {{"step", step}, {"path", m_options.resumeFrom.string()}});
    for (const auto& warning : m_trainer->resumeWarnings())
        warn(warning);
}

void Session::checkpointIfDue()
{
    const auto every = m_limits.checkpointEvery;
    if (every > 0 && m_trainer->steps() % every == 0 && !m_end)
        writeCheckpoint();
}

void Session::writeCheckpoint()
{
    const auto step = m_trainer->steps();
    if (step == 0 || step == m_checkpointStep)
        return;
    if (m_checkpointFolder.empty()) {
        warn("No checkpoint was written: the host has named no folder for it.");
        return;
    }
    collect(true);
    const auto begin = Clock::now();
    const auto file = mantissa::checkpointFile(m_checkpointFolder, step);
    if (auto written = m_trainer->writeCheckpoint(file, m_skipped); !written) {
        warn("No checkpoint was written: " + written.error().message);
        return;
    }
    m_checkpointStep = step;
    std::error_code ignored;
    const auto bytes = std::filesystem::file_size(file, ignored);
    const std::chrono::duration<double, std::milli> time = Clock::now() - begin;
    event(event_kind::kCheckpoint, fmt::format("Checkpoint of step {} written.", step),
        {{"step", step}, {"path", file.string()}, {"bytes", bytes}, {"write_ms", time.count()}});
}

/// A stopped run can be resumed at its very step; weights are kept where that was asked for.
void Session::keepAtEnd(const Finished& end)
{
    if (!m_trainer || m_trainer->steps() == 0 || end.state == RunState::Failed)
        return;
    if (end.state == RunState::Stopped && m_limits.checkpointEvery > 0)
        writeCheckpoint();
    if (!m_limits.saveWeights)
        return;
    const auto file = m_checkpointFolder / "weights.safetensors";
    if (m_checkpointFolder.empty())
        warn("The weights were not saved: the host has named no folder for them.");
    else if (auto saved = m_trainer->saveWeights(file); !saved)
        warn("The weights were not saved: " + saved.error().message);
    else
        event(event_kind::kWeights, "Weights saved.", {{"path", file.string()}});
}

} // namespace mantissa
