// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/run/resume_point.h"

#include <cstdint>
#include <filesystem>
#include <limits>
#include <vector>

/// The files of a run's checkpoints; what is in them is described in file-formats.md. Any thread.
namespace mantissa {

/// Metadata of a checkpoint's safetensors file.
namespace checkpoint_key {
inline constexpr const char* kFormat = "format"; ///< kFormatName
inline constexpr const char* kVersion = "version"; ///< kCheckpointVersion
inline constexpr const char* kState = "state"; ///< JSON: everything that is no tensor
inline constexpr const char* kFormatName = "mantissa-checkpoint";
} // namespace checkpoint_key
inline constexpr const char* kCheckpointVersion = "1";

/// `STORE.checkpoints/RUN`: where the checkpoints of a stored run lie.
std::filesystem::path checkpointFolder(const std::filesystem::path& store, std::int64_t run);

/// `FOLDER/step-N.ckpt`.
std::filesystem::path checkpointFile(const std::filesystem::path& folder, std::int64_t step);

/// The checkpoint files of a folder, newest (highest step) first; empty if there is none.
std::vector<std::filesystem::path> checkpointsIn(const std::filesystem::path& folder);

/// Reads what a checkpoint says of itself, after its checksum has been found right. An Error says
/// whether it is missing, damaged, of another format or of a later version.
[[nodiscard]] Result<ResumePoint> readResumePoint(const std::filesystem::path& file);

/// The newest whole checkpoint of a folder that is at most at `lastStep`, else the newest whole
/// one. Where there is none, the Error says what is wrong with each.
[[nodiscard]] Result<ResumePoint> newestResumePoint(const std::filesystem::path& folder,
    std::int64_t lastStep = std::numeric_limits<std::int64_t>::max());

/// A run keeps so many checkpoints: should the newest be damaged, there is the one before.
inline constexpr std::size_t kKeptCheckpoints = 2;

/// Removes all but the kKeptCheckpoints newest of the checkpoints up to `storedStep`, the last step
/// whose samples are stored. Later ones stay: a run goes on from one that its stored series reach.
void removeOldCheckpoints(const std::filesystem::path& folder, std::int64_t storedStep);

/// Removes the checkpoints after `step`, by which the run comes again, and what a killed worker
/// left half written.
void removeLaterCheckpoints(const std::filesystem::path& folder, std::int64_t step);

} // namespace mantissa
