// SPDX-License-Identifier: GPL-3.0-or-later
// Everything that a Trainer's next step depends on, to a file and back.
#include "core/base/number_text.h"
#include "core/config/config_io.h"
#include "core/engine/tensor_file.h"
#include "core/engine/trainer_private.h"
#include "core/run/checkpoint_files.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <torch/headeronly/version.h>

namespace mantissa {

namespace {

constexpr const char* kCpuRng = "rng.cpu";
constexpr const char* kDeviceRng = "rng.device";
constexpr const char* kDeviceApplied = "schedule.applied";

nlohmann::json scalerToJson(const GradScaler& scaler)
{
    auto state = nlohmann::json::object();
    for (const auto& [key, value] : scaler.stateDict())
        state[key] = numberToJson(value);
    return state;
}

std::string optimizerPrefix(std::size_t index)
{
    return fmt::format("optimizer.{}.", index);
}

at::Generator deviceGenerator(at::Device device)
{
    return at::globalContext().defaultGenerator(device);
}

/// Generators take their state as bytes on the CPU.
Result<void> loadGenerator(TensorFileReader& file, const std::string& name, at::Generator generator)
{
    auto state = generator.get_state();
    if (auto loaded = file.load(name, state); !loaded)
        return loaded;
    generator.set_state(state);
    return {};
}

} // namespace

Result<CheckpointState> readCheckpointState(const std::filesystem::path& file)
{
    auto opened = SafetensorsFile::open(file);
    if (!opened)
        return tl::unexpected(opened.error());
    const auto text = opened->metadata().find(checkpoint_key::kState);
    CheckpointState checkpoint;
    checkpoint.file = file;
    if (text != opened->metadata().end())
        checkpoint.state = nlohmann::json::parse(text->second, nullptr, false);
    if (!checkpoint.state.is_object() || !checkpoint.state.contains("trainer")
        || !checkpoint.state.contains("scaler"))
        return fail(fmt::format("{} lacks the trainer's or the scaler's state", file.string()));
    return checkpoint;
}

Result<void> Trainer::Private::writeCheckpoint(
    const std::filesystem::path& file, std::int64_t skipped)
{
    TensorFileWriter writer;
    writer.add("model.", model->root().parameters());
    writer.add("model.", model->root().buffers());
    for (std::size_t i = 0; i < optimizers.size(); ++i)
        writer.add(optimizerPrefix(i), optimizers[i]->state());
    writer.add(kCpuRng, at::detail::getDefaultCPUGenerator().get_state());
    if (device.is_cuda())
        writer.add(kDeviceRng, deviceGenerator(device).get_state());
    if (deviceSchedule)
        writer.add(kDeviceApplied, deviceSchedule->applied());
    nlohmann::json state{{"step", steps}, {"steps_applied", steps - skipped},
        {"steps_skipped", skipped},
        {"time_s", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()},
        {"variant", variantToJson(variant)}, {"scaler", scalerToJson(scaler)},
        {"trainer",
            {{"applied", applied}, {"train_seconds", trainSeconds}, {"batches", loader->position()},
                {"device", device.str()}, {"threads", environment["threads"]},
                {"torch_version", TORCH_VERSION}}}};
    if (secondScaler)
        state["second_scaler"] = scalerToJson(*secondScaler);
    SafetensorsOptions format;
    format.checksum = true;
    format.metadata = {{checkpoint_key::kFormat, checkpoint_key::kFormatName},
        {checkpoint_key::kVersion, kCheckpointVersion},
        {checkpoint_key::kState,
            state.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)}};
    return writer.write(file, format);
}

namespace {

/// With the same settings everything goes on, also what was changed live; with other ones only the
/// scale and its tracker do.
Result<void> restoreScaler(GradScaler& scaler, const nlohmann::json& saved, bool sameSettings)
{
    if (!scaler.isEnabled())
        return {};
    std::map<std::string, double> state;
    for (const auto& [key, value] : saved.items()) {
        const auto number = numberFromJson(value);
        if (!number)
            return fail(fmt::format("the scaler's {} is no number", key));
        state[key] = *number;
    }
    if (state.empty())
        return fail("it holds no scaler state: it was written by a run without a GradScaler, and a "
                    "scale that begins anew would change the run silently");
    if (sameSettings)
        return scaler.loadStateDict(state);
    auto fresh = scaler.stateDict();
    const auto& config = scaler.config();
    fresh["scale"] = std::clamp(state["scale"], config.floor().value_or(0),
        config.maxScale.value_or(std::numeric_limits<float>::max()));
    // As with a live change: another interval is counted from its start.
    if (fresh["growth_interval"] == state["growth_interval"])
        fresh["_growth_tracker"] = state["_growth_tracker"];
    fresh.erase("_log2_scale"); // follows from the scale
    return scaler.loadStateDict(fresh);
}

} // namespace

Result<void> Trainer::Private::restoreScalers(const CheckpointState& checkpoint)
{
    const auto second = checkpoint.state.value("second_scaler", nlohmann::json::object());
    const bool same = checkpoint.sameScaler;
    auto restored = restoreScaler(scaler, checkpoint.state["scaler"], same);
    if (restored && secondScaler)
        restored = restoreScaler(*secondScaler, second, same);
    if (!restored)
        return fail(fmt::format("{}: {}", checkpoint.file.string(), restored.error().message));
    return {};
}

/// The same numbers need the same device, thread count and LibTorch.
void Trainer::Private::noteDifferences(const nlohmann::json& saved)
{
    const nlohmann::json now{{"device", device.str()}, {"threads", environment["threads"]},
        {"torch_version", TORCH_VERSION}};
    for (const auto& [key, value] : now.items()) {
        const auto before = saved.value(key, nlohmann::json());
        if (before != value)
            resumeWarnings.push_back(fmt::format(
                "The checkpoint was written with {} = {}, the run goes on with {}: its numbers may "
                "differ in the last digits from those of a run that was not interrupted.",
                key, before.dump(), value.dump()));
    }
}

Result<void> Trainer::Private::restore(const CheckpointState& checkpoint)
{
    auto opened = TensorFileReader::open(checkpoint.file);
    if (!opened)
        return tl::unexpected(opened.error());
    auto& file = *opened;
    for (const auto& list : {model->root().parameters(), model->root().buffers()}) {
        if (auto loaded = file.load("model.", list); !loaded)
            return loaded;
    }
    for (std::size_t i = 0; i < optimizers.size(); ++i) {
        optimizers[i]->beforeRestore();
        if (auto loaded = file.load(optimizerPrefix(i), optimizers[i]->state()); !loaded)
            return loaded;
        optimizers[i]->afterRestore();
    }
    if (auto restored = restoreScalers(checkpoint); !restored)
        return restored;
    if (deviceSchedule) {
        if (auto loaded = file.load(kDeviceApplied, deviceSchedule->applied()); !loaded)
            return loaded;
    }
    const auto& trainer = checkpoint.state["trainer"];
    steps = checkpoint.state.value("step", std::int64_t{0});
    applied = trainer.value("applied", std::int64_t{0});
    trainSeconds = trainer.value("train_seconds", 0.0);
    loader->seek(trainer.value("batches", std::int64_t{0}));
    noteDifferences(trainer);
    // Last: what came before may have drawn numbers.
    if (device.is_cuda()) {
        if (auto loaded = loadGenerator(file, kDeviceRng, deviceGenerator(device)); !loaded)
            return loaded;
    }
    return loadGenerator(file, kCpuRng, at::detail::getDefaultCPUGenerator());
}

} // namespace mantissa
