// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/controller.h"
#include "core/storage/run_store.h"

#include <QTemporaryDir>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

/// What tests of the store and of what reads it share.
namespace mantissa::test {

/// A folder of its own for a store file.
class TempStore {
public:
    std::filesystem::path folder() const { return m_folder.path().toStdString(); }
    std::filesystem::path file() const { return folder() / "runs.db"; }

private:
    QTemporaryDir m_folder;
};

/// An experiment with a variant per precision, named as the precision.
ExperimentConfig experiment(
    const std::vector<Precision>& precisions, const std::string& name = "t");
std::vector<PlannedRun> planOf(const ExperimentConfig& config);

/// `count` steps from `firstStep` with loss = 1 / step, scale, step_ms and more.
Samples samples(std::int64_t firstStep, std::int64_t count);

RunOutcome outcome(RunState state, const std::string& reason = {});

/// A writer of `file`, or an assertion that tells why not.
std::unique_ptr<StoreWriter> writerOf(const std::filesystem::path& file,
    const std::vector<Precision>& precisions = {Precision::Fp32});

/// A store with one ended run of `steps` steps; its id.
std::int64_t storeFinishedRun(const std::filesystem::path& file, std::int64_t steps = 20);

/// Acts as a user without rights while it lives (root may write everywhere). For tests that run
/// one thread; does nothing where the user has no rights anyway.
class WithoutRights {
public:
    WithoutRights();
    ~WithoutRights();
    WithoutRights(const WithoutRights&) = delete;
    WithoutRights& operator=(const WithoutRights&) = delete;

private:
    bool m_changed = false;
};

/// Runs `body` in a process of its own; returns its pid. The process ends with body's value.
int inChild(const std::function<int()>& body);
/// Waits for the end of a child; its exit code, or -1 for a signal.
int waitForChild(int pid);

} // namespace mantissa::test
