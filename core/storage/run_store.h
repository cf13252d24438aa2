// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/run/live_buffer.h"
#include "core/stats/run_summary.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mantissa {

struct HostIdentity;

/// What opening a store file found. Stored files are described in resources/docs/file-formats.md.
enum class StoreOpening {
    Created, ///< there was no file
    Current,
    Migrated, ///< an older version; a backup lies beside it
    NewerReadOnly, ///< written by a later version: readable, not writable
    ReadOnly, ///< no permission to write, or a read-only file system
};

struct RunRecord {
    std::int64_t id = 0;
    std::int64_t comparisonId = 0;
    std::string experiment; ///< the comparison's experiment name
    std::string variant;
    std::string precision;
    int variantIndex = 0;
    int repetition = 0;
    std::uint64_t seed = 0;
    RunState state = RunState::Queued;
    std::string reason;
    std::int64_t createdMs = 0; ///< Unix time in ms
    std::int64_t startedMs = 0; ///< 0 = not started
    std::int64_t endedMs = 0; ///< 0 = not ended
    std::int64_t stepsAttempted = 0;
    std::int64_t stepsApplied = 0;
    std::int64_t stepsSkipped = 0;
    std::int64_t samplesLost = 0; ///< points that could not be stored
    nlohmann::json config; ///< variantToJson()
    nlohmann::json environment;
    std::string note;
    std::vector<std::string> tags;
    bool archived = false;
    int rank = 0;
    int worldSize = 1;
    RunSummary summary; ///< kept up to date while the run is on
};

struct ComparisonRecord {
    std::int64_t id = 0;
    std::string experiment;
    std::string description;
    std::int64_t createdMs = 0;
    nlohmann::json config; ///< toJson(ExperimentConfig)
    std::vector<std::int64_t> runs; ///< ids in plan order
};

struct RunFilter {
    std::string experiment; ///< empty = all
    std::optional<RunState> state;
    bool archived = false; ///< true: archived ones too
    std::size_t limit = 0; ///< 0 = all
    bool details = true; ///< false: config and environment stay null (a list of 1,000 runs)
};

struct SeriesRecord {
    std::string name;
    std::string unit;
    Axis axis = Axis::Step;
    std::size_t count = 0;
    std::size_t nonFinite = 0;
};

/// A store file, open for one thread: use an own RunStore per thread (readers never block, and are
/// never blocked by, the one writer of this or another process).
/// Every failure is an Error that names the file.
class RunStore {
public:
    enum class Mode { ReadWrite, ReadOnly };
    /// Opens or creates (ReadWrite), migrates, and marks as `interrupted` every running run whose
    /// host process is gone (pid, process start time, boot id).
    [[nodiscard]] static Result<std::unique_ptr<RunStore>> open(
        const std::filesystem::path& file, Mode mode = Mode::ReadWrite);
    ~RunStore();

    StoreOpening opening() const;
    /// For a person, where the opening is not the usual one (migrated, newer, read-only); else
    /// empty.
    const std::string& openingMessage() const;
    bool writable() const;
    const std::filesystem::path& file() const;

    // Reading. Runs whose host has died since open() are interrupted here too (ReadWrite).
    [[nodiscard]] Result<std::vector<RunRecord>> runs(
        const RunFilter& filter = {}) const; ///< newest first
    [[nodiscard]] Result<RunRecord> run(std::int64_t id) const;
    /// The process that runs or ran it.
    [[nodiscard]] Result<HostIdentity> host(std::int64_t run) const;
    [[nodiscard]] Result<ComparisonRecord> comparison(std::int64_t id) const;
    [[nodiscard]] Result<std::vector<ComparisonRecord>> comparisons() const; ///< newest first
    [[nodiscard]] Result<std::vector<SeriesRecord>> series(std::int64_t run) const;
    /// All points of a series; empty slice if the run has none of that name.
    [[nodiscard]] Result<SeriesSlice> readSeries(std::int64_t run, const std::string& name) const;
    [[nodiscard]] Result<std::vector<LifecycleEvent>> events(std::int64_t run) const;
    /// Grows when any process commits a change: poll it to refresh.
    [[nodiscard]] Result<std::int64_t> dataVersion() const;
    /// SQLite's integrity_check: "ok" or what is wrong.
    [[nodiscard]] Result<std::string> integrityCheck() const;

    // Housekeeping (ReadWrite).
    [[nodiscard]] Result<void> setNote(std::int64_t run, const std::string& note);
    [[nodiscard]] Result<void> setTags(std::int64_t run, const std::vector<std::string>& tags);
    [[nodiscard]] Result<void> setArchived(std::int64_t run, bool archived);
    /// Adds what was found out about a run after its end.
    [[nodiscard]] Result<void> addEvent(std::int64_t run, const LifecycleEvent& event);
    /// Removes a run with all its data and checkpoints; refused while it is running.
    [[nodiscard]] Result<void> removeRun(std::int64_t run);

private:
    friend class StoreWriter;
    RunStore();
    struct Private;
    std::unique_ptr<Private> m_d;
};

/// Stores a comparison while it runs: an observer that queues values and a thread that commits them
/// at least every 250 ms. If the store fails (disk full, read-only) the run goes on: what could
/// not be stored is counted, told by lostPoints() and storeError(), and tried again.
class StoreWriter : public RunObserver {
public:
    /// Creates the comparison and its runs (state Queued) in the file.
    [[nodiscard]] static Result<std::unique_ptr<StoreWriter>> create(
        const std::filesystem::path& file, const ExperimentConfig& config,
        const std::vector<PlannedRun>& plan);
    /// Goes on with a stored run: makes this process its host and cuts its series and events back
    /// to `plan.resume`. Refused while another program has the run. See resume_plan.h.
    [[nodiscard]] static Result<std::unique_ptr<StoreWriter>> resume(
        const std::filesystem::path& file, std::int64_t run, const PlannedRun& plan);
    /// Commits what is queued and joins.
    ~StoreWriter() override;

    std::int64_t comparisonId() const;
    std::int64_t runId(int run) const;
    /// Where this run's checkpoints belong: for ExperimentController::setCheckpointFolder().
    std::filesystem::path checkpointFolder(int run) const;

    void onEvent(int run, const RunEvent& event) override;
    void onState(int run, const RunOutcome& outcome) override;
    void onAllEnded() override;

    /// Waits until everything queued so far is committed or has failed.
    void flush();
    std::size_t lostPoints() const;
    /// The last failure, empty if the last commit went well.
    std::string storeError() const;

private:
    StoreWriter();
    struct Private;
    std::unique_ptr<Private> m_d;
};

} // namespace mantissa
