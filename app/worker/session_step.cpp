// SPDX-License-Identifier: GPL-3.0-or-later
// What a Session does at every step and at its end.
#include "app/worker/event_sender.h"
#include "app/worker/session.h"
#include "core/run/series_info.h"

#include <fmt/format.h>

namespace mantissa {

bool Session::trainStep()
{
    if (auto trained = m_trainer->step(); !trained) {
        end(RunState::Failed, trained.error().message);
        return false;
    }
    m_heart.setStep(m_trainer->steps());
    collect(false);
    if (!m_factsKnown)
        noteFacts();
    validateIfDue(false);
    checkpointIfDue();
    if (m_inbox.hasNews())
        obeyAtStepEnd();
    checkEnd();
    return true;
}

void Session::collect(bool wait)
{
    m_records.clear();
    if (auto collected = m_trainer->collect(wait, m_records); !collected)
        end(RunState::Failed, collected.error().message);
    const bool ramp = m_trainer->scalerConfig().policy == ScalerPolicy::Smooth;
    for (const auto& record : m_records) {
        ++m_recorded;
        m_skipped += record.foundInf != 0 ? 1 : 0;
        m_batcher->add(record);
        if (record.foundInf != 0 || record.newScale != record.scale
            || !std::isfinite(record.loss)) {
            for (auto& stepEvent : m_stepEvents.of(record, ramp))
                m_batcher->add(std::move(stepEvent));
        }
    }
    for (auto& happened : m_trainer->takeEvents())
        m_batcher->add(std::move(happened));
    m_batcher->tick(Clock::now());
}

void Session::obeyAtStepEnd()
{
    while (auto incoming = m_inbox.tryTake()) {
        idle(*incoming);
        if (m_paused && !m_end)
            pauseUntilResumed();
    }
    if (m_inbox.isExhausted())
        end(RunState::Stopped, "the host closed the pipe");
}

void Session::pauseUntilResumed()
{
    while (m_paused && !m_end) {
        auto incoming = m_inbox.take();
        if (!incoming)
            return;
        idle(*incoming);
    }
    m_heart.setActivity(Activity::Training);
}

void Session::apply(const SetCommand& command)
{
    const auto withRequest = [&](nlohmann::json data) {
        if (command.request != 0)
            data["request"] = command.request;
        return data;
    };
    const auto applied = m_trainer->set(command.changes);
    if (!applied) {
        const auto& [key, reason] = applied.error();
        event(event_kind::kSettingRefused, fmt::format("Nothing was changed: {}.", reason),
            withRequest({{"key", key}, {"reason", reason}}));
        return;
    }
    for (const auto& change : *applied)
        event(event_kind::kSettingChanged,
            fmt::format("{} changed from {} to {}.", change.key, settingValueText(change.oldValue),
                settingValueText(change.newValue)),
            withRequest({{"key", change.key}, {"old", change.oldValue}, {"new", change.newValue}}));
}

void Session::checkEnd()
{
    if (m_end)
        return;
    if (m_trainer->steps() >= m_totalSteps) {
        if (m_totalSteps < m_trainer->scheduledSteps())
            end(RunState::Stopped, "step limit");
        else
            end(RunState::Finished, {});
    } else if (m_limits.maxSeconds > 0 && m_trainer->trainSeconds() >= m_limits.maxSeconds) {
        end(RunState::Stopped, "time limit");
    }
    m_atLimit = m_end.has_value();
}

void Session::noteFacts()
{
    auto facts = m_trainer->takeFirstStepFacts();
    if (!facts)
        return;
    m_factsKnown = true;
    const auto mismatches = (*facts)["mismatches"];
    event(event_kind::kFirstStepFacts, "Types in the first applied step.", std::move(*facts));
    for (const auto& mismatch : mismatches)
        warn("The first applied step does not fit the precision: " + mismatch.get<std::string>()
            + ".");
}

void Session::validateIfDue(bool atEnd)
{
    const auto step = m_trainer->steps();
    const bool due = atEnd || (m_evalEvery > 0 && step % m_evalEvery == 0);
    if (!due || step == 0 || m_validatedStep == step)
        return;
    m_validatedStep = step;
    m_heart.setActivity(Activity::Validating);
    const auto result = m_trainer->validate([this] { return m_inbox.mustEnd(); });
    m_heart.setActivity(Activity::Training);
    if (!result) {
        end(RunState::Failed, result.error().message);
    } else if (*result) {
        m_batcher->flush();
        m_sender.send(Points{Axis::Step, {static_cast<double>(step)},
            {{std::string(series::kMetric), {(*result)->metric}},
                {std::string(series::kMetricLoss), {(*result)->loss}},
                {std::string(series::kValidationNonFinite),
                    {static_cast<double>((*result)->nonFiniteRows)}}}});
    }
}

} // namespace mantissa
