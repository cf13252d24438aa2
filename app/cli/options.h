// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mantissa::cli {

/// Exit codes of CLI.md; others script against them.
enum ExitCode : int {
    kDone = 0,
    kRunFailed = 1,
    kBadUsage = 2,
    kStoreUnusable = 4,
    kInterrupted = 130,
};

struct GlobalOptions {
    std::filesystem::path store;
    bool json = false; ///< machine output on stdout, nothing else there
    bool quiet = false;
    bool verbose = false;
    bool noColor = false;
};

struct RunOptions {
    std::filesystem::path experiment;
    std::vector<std::string> sets; ///< "path=value"
    std::vector<std::string> variants; ///< only these; empty = all
    std::string repeat; ///< the following four are checked as config overrides
    std::string maxSteps;
    std::string maxSeconds;
    std::string schedule;
    std::filesystem::path report;
    bool matchMemory = false; ///< every variant at the batch that takes no more than the baseline
    bool dryRun = false;
};

struct ListOptions {
    std::string experiment;
    std::string status;
    std::size_t limit = 0;
    bool archived = false;
};

struct OutputOptions {
    std::vector<std::string> subjects; ///< run ids, or "comparison:ID"
    std::filesystem::path output;
    std::string format;
};

struct DeviceOptions {
    std::string device = "auto"; ///< as device.kind
};

struct CheckOptions {
    std::filesystem::path experiment; ///< check this model; empty = the machine
    std::string device = "auto"; ///< as device.kind; auto = every device
    bool quick = false;
    std::filesystem::path output; ///< .json, .html or .md; empty = none
};

struct FitOptions {
    std::filesystem::path experiment;
    std::string memory; ///< as typed; empty = what is available
    std::vector<std::string> variants; ///< only these; empty = all
};

struct HousekeepingOptions {
    std::vector<std::int64_t> runs;
    std::string text; ///< note, or one tag
    bool remove = false; ///< un-archive, remove the tag
    bool yes = false;
};

struct ReplayOptions {
    std::optional<std::int64_t> run;
    std::filesystem::path trace;
    /// Scaler key ("init_scale") and value as typed; empty = not given.
    std::vector<std::pair<std::string, std::string>> settings;
};

struct SetOptions {
    std::int64_t run = 0;
    std::vector<std::string> settings; ///< "key=value"
};

struct ChecklistOptions {
    std::int64_t run = 0;
    bool profile = false; ///< profile it first
};

struct ProfileOptions {
    std::filesystem::path experiment;
    std::string variant; ///< may be empty where there is one only
    std::vector<std::string> sets; ///< "path=value"
    std::string steps = "20";
    std::filesystem::path trace; ///< empty = none
    std::filesystem::path output; ///< empty = none
};

/// "init_scale" as an option: "--init-scale".
std::string optionOf(std::string_view key);

// One function a command; each prints its own messages and returns an exit code.
int runExperiment(const GlobalOptions& global, const RunOptions& options);
int resumeRun(const GlobalOptions& global, std::int64_t run);
int listRuns(const GlobalOptions& global, const ListOptions& options);
int checkRun(const GlobalOptions& global, const ChecklistOptions& options);
int showRun(const GlobalOptions& global, std::int64_t run);
int writeReport(const GlobalOptions& global, const OutputOptions& options);
int exportRuns(const GlobalOptions& global, const OutputOptions& options);
int validateFiles(const GlobalOptions& global, const std::vector<std::filesystem::path>& files);
int archiveRuns(const GlobalOptions& global, const HousekeepingOptions& options);
int deleteRuns(const GlobalOptions& global, const HousekeepingOptions& options);
int noteRuns(const GlobalOptions& global, const HousekeepingOptions& options);
int tagRuns(const GlobalOptions& global, const HousekeepingOptions& options);
int doctor(const GlobalOptions& global);
int checkModel(const GlobalOptions& global, const CheckOptions& options);
int fitBatchSizes(const GlobalOptions& global, const FitOptions& options);
int checkHardware(const GlobalOptions& global, const CheckOptions& options);
int profileSteps(const GlobalOptions& global, const ProfileOptions& options);
int operators(const GlobalOptions& global, const DeviceOptions& options);
int smoke(const GlobalOptions& global, const DeviceOptions& options);
int setLive(const GlobalOptions& global, const SetOptions& options);
int replayScale(const GlobalOptions& global, const ReplayOptions& options);

} // namespace mantissa::cli
