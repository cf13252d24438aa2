// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/controller.h"
#include "tests/support/fake_values.h"
#include "tests/support/recording_observer.h"
#include "tests/support/waits.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace mantissa::test {

/// A comparison of fake workers, watched by a recording observer.
struct RunFixture {
    RecordingObserver observer; ///< outlives the controller
    ExperimentConfig config;
    ControllerOptions options;
    std::unique_ptr<ExperimentController> controller;

    explicit RunFixture(std::vector<std::string> variants = {"a", "b"})
    {
        config.name = "fake";
        for (const auto& name : variants) {
            Variant variant;
            variant.name = name;
            config.variants.push_back(variant);
        }
        setSteps(40);
        options.worker = MANTISSA_FAKE_WORKER;
        options.helloTimeout = std::chrono::seconds(10);
        options.heartbeatTimeout = std::chrono::seconds(10);
        options.termGrace = std::chrono::milliseconds(300);
        options.exitTimeout = std::chrono::seconds(2);
    }

    void setSteps(std::int64_t steps)
    {
        forAllSettings([steps](Settings& settings) { settings.train.steps = steps; });
    }

    template <typename Change> void forAllSettings(Change change)
    {
        change(config.settings);
        for (auto& variant : config.variants)
            change(variant.settings);
    }

    void argue(const std::vector<std::string>& arguments)
    {
        options.workerArguments.insert(
            options.workerArguments.end(), arguments.begin(), arguments.end());
    }

    ExperimentController& start()
    {
        controller = std::make_unique<ExperimentController>(config, options);
        controller->addObserver(observer);
        controller->start();
        return *controller;
    }

    bool waitUntilEnded() { return controller->waitUntilEnded(std::chrono::seconds(30)); }

    RunOutcome outcome(int run) const
    {
        return controller->outcomes().at(static_cast<std::size_t>(run));
    }

    bool awaitStep(int run, std::int64_t step)
    {
        return await([&] { return observer.lastStep(run) >= step; });
    }

    bool awaitState(int run, RunState state)
    {
        return await([&] {
            const auto states = observer.states(run);
            return !states.empty() && states.back() == state;
        });
    }

    /// Whether the samples of `run` are those of steps 1 ... n, each once, with the right values.
    bool samplesAreRight(int run, std::uint64_t seed = 1) const
    {
        const auto steps = observer.steps(run);
        const auto losses = observer.samples(run, "loss");
        if (losses.size() != steps.size())
            return false;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            if (steps[i] != static_cast<std::int64_t>(i) + 1
                || losses[i] != fakeLoss(seed, steps[i]))
                return false;
        }
        return true;
    }

    bool noteContains(int run, const std::string& text) const
    {
        const auto notes = observer.notes(run);
        return std::any_of(notes.begin(), notes.end(),
            [&](const std::string& note) { return note.find(text) != std::string::npos; });
    }

    /// Variant names and steps of the blocks in the order they were given, e.g. "a1 b1 b21 a21".
    std::string blocks() const
    {
        std::string text;
        for (const auto& entry : observer.entries()) {
            const auto* event = std::get_if<LifecycleEvent>(&entry.event);
            if (entry.isState || !event || event->kind != event_kind::kBlockStarted)
                continue;
            text += (text.empty() ? "" : " ")
                + controller->plan().at(static_cast<std::size_t>(entry.run)).variant.name
                + std::to_string(event->step.value_or(-1));
        }
        return text;
    }
};

} // namespace mantissa::test
