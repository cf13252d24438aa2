// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/trainer.h"

#include "core/config/config_io.h"
#include "core/engine/tensor_file.h"
#include "core/engine/trainer_private.h"
#include "core/run/resume_check.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <utility>

namespace mantissa {

namespace {

/// Runs `function`, turning what LibTorch and oneDNN throw into an Error. (c10::Error's what()
/// would spend 5 ms on a backtrace that helps nobody here.)
template <typename Function> auto guarded(Function function) -> decltype(function())
{
    try {
        return function();
    } catch (const c10::Error& error) {
        return fail(error.what_without_backtrace());
    } catch (const std::exception& error) {
        return fail(error.what());
    }
}

} // namespace

tl::expected<std::unique_ptr<Trainer>, StartFailure> Trainer::create(
    const Variant& variant, const CudaPlugin& plugin, TimePoint start, const Options& options)
{
    const auto device = chooseDevice(variant.settings.device.kind, plugin);
    if (!device)
        return tl::unexpected(StartFailure{RunState::Refused, device.error().message});
    if (auto reason = refusal(variant.precision, *device))
        return tl::unexpected(StartFailure{RunState::Refused, std::move(*reason)});
    auto created = guarded([&]() -> Result<std::unique_ptr<Private>> {
        if (!options.resumeFrom.empty())
            return resumed(variant, plugin, *device, start, options);
        auto d = std::make_unique<Private>(variant, *device, start, options);
        if (auto ready = d->prepare(plugin); !ready)
            return tl::unexpected(ready.error());
        return d;
    });
    if (!created)
        return tl::unexpected(StartFailure{RunState::Failed, created.error().message});
    return std::unique_ptr<Trainer>(new Trainer(std::move(*created)));
}

Result<std::unique_ptr<Trainer::Private>> Trainer::resumed(const Variant& variant,
    const CudaPlugin& plugin, c10::Device device, TimePoint start, const Options& options)
{
    auto checkpoint = readCheckpointState(options.resumeFrom);
    if (!checkpoint)
        return tl::unexpected(checkpoint.error());
    const auto name = options.resumeFrom.string();
    const auto saved = variantFromJson(checkpoint->state.value("variant", nlohmann::json()));
    if (!saved)
        return fail(fmt::format("{} holds no settings that this version can read", name));
    if (const auto refused = resumeRefusal(*saved, variant))
        return fail(fmt::format("{}: {}", name, *refused));
    checkpoint->sameScaler = variant.settings.scaler == saved->settings.scaler;
    auto d = std::make_unique<Private>(variant, device, start, options);
    if (auto ready = d->prepare(plugin); !ready)
        return tl::unexpected(ready.error());
    if (auto restored = d->restore(*checkpoint); !restored)
        return tl::unexpected(restored.error());
    return d;
}

Trainer::Trainer(std::unique_ptr<Private> d)
    : m_d(std::move(d))
{
}

Trainer::~Trainer() = default;

const nlohmann::json& Trainer::environment() const
{
    return m_d->environment;
}

bool Trainer::usesScaler() const
{
    return m_d->scaler.isEnabled();
}

const ScalerConfig& Trainer::scalerConfig() const
{
    return m_d->scaler.config();
}

bool Trainer::usesCuda() const
{
    return m_d->device.is_cuda();
}

std::int64_t Trainer::scheduledSteps() const
{
    return m_d->scheduledSteps;
}

Result<void> Trainer::step()
{
    return guarded([this] { return m_d->step(); });
}

Result<void> Trainer::collect(bool wait, std::vector<StepRecord>& records)
{
    return guarded([&] { return m_d->collect(wait, records); });
}

Result<std::optional<ValidationResult>> Trainer::validate(const std::function<bool()>& cancelled)
{
    return guarded(
        [&]() -> Result<std::optional<ValidationResult>> { return m_d->validate(cancelled); });
}

tl::expected<std::vector<AppliedSetting>, SettingRefusal> Trainer::set(
    const std::vector<SettingChange>& changes)
{
    // Both were made from the same settings, so what one takes the other takes.
    if (m_d->secondScaler) {
        if (auto set = m_d->secondScaler->set(changes); !set)
            return set;
    }
    return m_d->scaler.set(changes);
}

Result<StepProfile> Trainer::profile(const ProfileOptions& options)
{
    return guarded([&] { return m_d->profile(options); });
}

std::vector<LifecycleEvent> Trainer::takeEvents()
{
    return std::exchange(m_d->events, {});
}

Result<void> Trainer::writeCheckpoint(const std::filesystem::path& file, std::int64_t skipped)
{
    return guarded([&] { return m_d->writeCheckpoint(file, skipped); });
}

const std::vector<std::string>& Trainer::resumeWarnings() const
{
    return m_d->resumeWarnings;
}

Result<void> Trainer::saveWeights(const std::filesystem::path& file)
{
    return guarded([&] { return mantissa::saveWeights(m_d->model->root(), file); });
}

std::optional<nlohmann::json> Trainer::takeFirstStepFacts()
{
    return m_d->takeFirstStepFacts();
}

std::vector<WeightValues> Trainer::weights() const
{
    std::vector<WeightValues> weights;
    for (const auto& parameter : m_d->model->parameters()) {
        const auto values = parameter.tensor.detach().to(at::kCPU, at::kFloat).contiguous();
        const auto* first = values.const_data_ptr<float>();
        weights.push_back({parameter.name, values.sizes().vec(), {first, first + values.numel()}});
    }
    return weights;
}

std::int64_t Trainer::steps() const
{
    return m_d->steps;
}

double Trainer::trainSeconds() const
{
    return m_d->trainSeconds;
}

Result<MemoryBreakdown> Trainer::memoryByRole()
{
    return guarded([&]() -> Result<MemoryBreakdown> { return m_d->memoryByRole(); });
}

double Trainer::bytesStillToCome() const
{
    return m_d->device.is_cpu() ? m_d->loader->bytesStillToCome() : 0;
}

std::int64_t Trainer::trainSamples() const
{
    return m_d->trainSamples->count();
}

} // namespace mantissa
