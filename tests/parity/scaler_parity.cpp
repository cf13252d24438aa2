// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the sequences that scaler_cases.py made through GradScaler (ATen's kernels) and through the
// pure policy of core/numerics, and compares scale and tracker with Python's to the bit after every
// step. Exit 1 on a difference.
#include "core/engine/grad_scaler.h"
#include "core/engine/optimizer.h"

#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <bit>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <vector>

using namespace mantissa;

namespace {

template <typename T> std::vector<T> read(const std::filesystem::path& file)
{
    std::vector<T> values(std::filesystem::file_size(file) / sizeof(T));
    std::ifstream stream(file, std::ios::binary);
    stream.read(static_cast<char*>(static_cast<void*>(values.data())),
        static_cast<std::streamsize>(values.size() * sizeof(T)));
    return values;
}

/// A scaler with an optimizer whose gradient is finite or not. The fused path: it does not divide.
struct Scaled {
    explicit Scaled(const ScalerConfig& config)
        : scaler(config, true, GradScaler::Decision::Device)
        , parameter(at::ones({1}).set_requires_grad(true))
        , optimizer({parameter}, TrainConfig{})
    {
        parameter.mutable_grad() = at::full({1}, 0.0);
    }

    bool step(bool overflow)
    {
        auto* gradient = parameter.mutable_grad().mutable_data_ptr<float>();
        *gradient = overflow ? std::numeric_limits<float>::infinity() : 0.0F;
        scaler.scale(one);
        return scaler.step(optimizer).has_value() && scaler.update().has_value();
    }

    GradScaler scaler;
    at::Tensor parameter;
    Sgd optimizer;
    at::Tensor one = at::ones({});
};

ScalerConfig configOf(const double* row)
{
    ScalerConfig config;
    config.initScale = row[0];
    config.growthFactor = row[1];
    config.backoffFactor = row[2];
    config.growthInterval = static_cast<std::int64_t>(row[3]);
    return config;
}

bool sameBits(float a, float b)
{
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

} // namespace

int main(int argc, char** argv)
{
    const std::filesystem::path folder = argc > 1 ? argv[1] : ".";
    const auto settings = read<double>(folder / "settings.f64");
    const auto found = read<std::uint8_t>(folder / "found.u8");
    const auto scales = read<float>(folder / "scale.f32");
    const auto trackers = read<std::int32_t>(folder / "tracker.i32");
    const auto cases = settings.size() / 4;
    const auto steps = cases > 0 ? found.size() / cases : 0;
    if (steps == 0 || scales.size() != found.size() || trackers.size() != found.size()) {
        std::fprintf(stderr, "scaler_parity: no cases in %s\n", folder.c_str());
        return 2;
    }
    std::optional<Scaled> scaled;
    std::optional<LossScalePolicy> policy;
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (i % steps == 0) {
            const auto config = configOf(&settings[i / steps * 4]);
            scaled.emplace(config);
            policy.emplace(config);
        }
        const bool stepped = scaled->step(found[i] != 0);
        const auto& state = policy->update(found[i] != 0);
        const auto kernel = static_cast<float>(scaled->scaler.scaleValue());
        const bool equal = sameBits(kernel, scales[i]) && sameBits(state.scale, scales[i])
            && scaled->scaler.growthTracker() == trackers[i] && state.growthTracker == trackers[i];
        if (stepped && equal)
            continue;
        std::fprintf(stderr,
            "FAIL scaler: case %zu step %zu: scale %.9g (kernel) %.9g (policy), Python's %.9g\n",
            i / steps, i % steps + 1, double{kernel}, double{state.scale}, double{scales[i]});
        return 1;
    }
    std::printf("ok   scaler: %zu steps over %zu settings, scale and tracker equal to the bit\n",
        found.size(), cases);
}
