// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/hardware/format_class.h"
#include "core/stats/run_summary.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

/// What a check of a device found: the capability card. Plain values, any thread.
namespace mantissa {

/// Kinds of work a card has a row for, in its order.
enum class CheckWork {
    MatMul, ///< square matrix product
    MatMulTall, ///< many rows, few columns
    Convolution,
    LinearStep, ///< forward and backward of a linear layer under autocast
    Attention,
    Elementwise, ///< a * b + c: memory bandwidth
    Reduction ///< sum
};
inline constexpr std::array kCheckWorks{CheckWork::MatMul, CheckWork::MatMulTall,
    CheckWork::Convolution, CheckWork::LinearStep, CheckWork::Attention, CheckWork::Elementwise,
    CheckWork::Reduction};
std::string_view toString(CheckWork work); ///< stable word: "matmul", "matmul_tall", ...
std::optional<CheckWork> checkWorkFromString(std::string_view text);
std::string_view title(CheckWork work); ///< "Matrix product", ...
/// True where the rate is bytes moved a second, false where it is operations a second.
bool isBandwidth(CheckWork work);

/// One size of a kind of work in a format, measured.
struct CheckPoint {
    std::string shape; ///< "1,024 × 1,024 × 1,024"
    double amount = 0; ///< floating-point operations, or bytes moved, of one execution
    Quartiles ms; ///< of the repeats, warm-up not counted
    std::int64_t repeats = 0;
    std::optional<double>
        ratio; ///< ms.median / fp32's at this shape; none where fp32 has no figure
    double rate() const; ///< amount / s: FLOP/s or B/s
};

/// A row's entry for a format.
struct CheckCell {
    CheckWork work = CheckWork::MatMul;
    CheckFormat format = CheckFormat::Fp32;
    FormatClass formatClass = FormatClass::Unsupported;
    bool hardwareFlag = false; ///< the hardware says it computes in the format
    std::vector<CheckPoint> points; ///< sizes in growing order; empty if unsupported
    bool cutShort = false; ///< larger sizes would have exceeded the time limit
    std::optional<double> maxError; ///< largest error relative to fp64's largest magnitude
    std::string reason; ///< why unsupported: "conv2d: ..."

    /// The figure to show: the largest size. Requires points.
    const CheckPoint& largest() const;
};

/// The timing's own test.
struct ClockTest {
    double expectedMs = 0; ///< length of the known work by a second clock
    double measuredMs = 0; ///< what the check's timing made of it
    double difference() const; ///< share of the expected, e.g. 0.004; over 0.05 is to be told
};

/// A published figure beside the measured one.
struct TheoryRow {
    CheckFormat format = CheckFormat::Fp32;
    bool bandwidth = false; ///< B/s; else FLOP/s
    double measured = 0;
    std::optional<double> published; ///< dense peak; none where no table has this device
    std::string source; ///< of the published figure
    /// measured / published; over 1 means that the table is wrong for this device, not success.
    std::optional<double> utilisation() const;
};

/// A device that can be checked.
struct CheckDevice {
    std::string id; ///< "cpu", "cuda:0"
    std::string name; ///< as the system names it
    bool operator==(const CheckDevice&) const = default;
};

struct CapabilityCard {
    CheckDevice device;
    std::vector<CheckDevice> devices; ///< all of this machine
    std::int64_t measuredMs = 0; ///< Unix time in ms
    double seconds = 0; ///< the check took
    bool quick = false;
    int threads = 0; ///< of the CPU
    /// "machine" (Machine), LibTorch's versions and capability, "gpu" (CUDA's and Nvml::facts()),
    /// "nvml" (why it tells nothing), "cuda_plugin",
    /// "environment" (ONEDNN_MAX_CPU_ISA and the like, where set), "foreign_load" (share of the
    /// machine that other programs had meanwhile).
    nlohmann::json facts = nlohmann::json::object();
    ClockTest clock;
    std::vector<CheckCell> cells; ///< by work, then format
    std::vector<TheoryRow> theory; ///< one a format that was measured, and one for bandwidth
    const CheckCell* find(CheckWork work, CheckFormat format) const; ///< null if there is none
};

nlohmann::json toJson(const CapabilityCard& card);
/// An Error names the key that is missing or wrong.
[[nodiscard]] Result<CapabilityCard> cardFromJson(const nlohmann::json& json);
nlohmann::json toJson(const CheckCell& cell);
[[nodiscard]] Result<CheckCell> cellFromJson(const nlohmann::json& json);

/// "cell" as people read it: "438 GFLOP/s", "24.9 GB/s".
std::string rateText(double rate, bool bandwidth);
/// "2.2x faster", "200x slower", "same speed" (within 5 %).
std::string speedText(double ratio);
/// "native", "conversion", "emulated, 200x slower", "unsupported".
std::string classText(const CheckCell& cell);

} // namespace mantissa
