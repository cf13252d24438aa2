// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mantissa {

namespace nvml {
struct Library;
}

/// What a GPU does at a moment. What NVML does not tell is absent, never 0.
struct GpuReading {
    std::optional<double> utilisationPercent; ///< share of the time in which a kernel ran
    std::optional<double> memoryUsedBytes; ///< by all programs and the driver
    std::optional<double> powerW;
    std::optional<double> temperatureC;
    std::optional<double> smMhz;
    std::optional<double> memoryMhz;
    std::optional<std::uint64_t> throttleReasons; ///< bits of throttleReasons()
    std::optional<double> energyJ; ///< since the driver was loaded
};

/// A reason why a GPU's clock is lower than it could be.
struct ThrottleReason {
    std::uint64_t bit;
    std::string_view words;
    bool slowsTraining; ///< false for idleness and clocks that somebody chose
};
std::span<const ThrottleReason> throttleReasons();

/// The library to open: $MANTISSA_NVML, else "libnvidia-ml.so.1", which the driver brings.
std::filesystem::path nvmlLibrary();

/// A PCI bus id as NVML writes it, "00000000:C1:00.0", from any other width or case, as CUDA's
/// "0000:c1:00.0"; nothing if it is none.
std::optional<std::string> pciBusIdForNvml(std::string_view pciBusId);

/// NVIDIA's management library, opened at run time: it belongs to the driver and is on machines
/// with a card only. GPUs are found by their PCI bus id, never by a number: CUDA counts only what
/// CUDA_VISIBLE_DEVICES leaves, and in another order. One thread at a time.
class Nvml {
public:
    using Gpu = void*; ///< valid as long as the Nvml is

    /// An Error says in words which of "absent", "too old" or "not usable" it is, and why.
    [[nodiscard]] static Result<Nvml> open(const std::filesystem::path& library = nvmlLibrary());
    ~Nvml();
    Nvml(Nvml&&) noexcept;
    Nvml& operator=(Nvml&&) noexcept;

    /// The GPU with this bus id in any of its forms.
    [[nodiscard]] Result<Gpu> find(std::string_view pciBusId) const;

    /// {"name", "uuid", "driver", "cuda_driver" (newest CUDA that the driver serves),
    /// "compute_major", "compute_minor", "board_memory_bytes", "max_sm_mhz", "max_memory_mhz",
    /// "power_limit_w", "ecc", "mig", "persistence" (true, false), "pcie_generation", "pcie_width"
    /// (now; a resting link may be slower), "pcie_max_generation", "pcie_max_width"}. What is not
    /// told has no key; its reason in words is in "absent" under its name.
    nlohmann::json facts(Gpu gpu) const;

    GpuReading read(Gpu gpu) const;

private:
    explicit Nvml(std::unique_ptr<nvml::Library> library);
    std::unique_ptr<nvml::Library> m_library;
};

/// Adds what NVML tells of the GPU to `facts`["gpu"], whose own values stay; where it tells nothing
/// at all, why not to `facts`["nvml"].
void addNvmlFacts(nlohmann::json& facts, std::string_view pciBusId,
    const std::filesystem::path& library = nvmlLibrary());

} // namespace mantissa
