// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hardware/model_check.h"

#include "core/base/json_object.h"
#include "core/base/number_text.h"
#include "core/config/config_io.h"

#include <fmt/format.h>

namespace mantissa {

namespace {

using Json = nlohmann::json;

Json toJson(const MemoryRoles& roles)
{
    return {{"weights", roles.weights}, {"gradients", roles.gradients},
        {"optimizer", roles.optimizer}, {"cast_cache", roles.castCache},
        {"activations", roles.activations}, {"workspace", roles.workspace}};
}

MemoryRoles rolesFromJson(JsonObject& parent, const char* key)
{
    JsonObject object(parent.object(key), key);
    MemoryRoles roles;
    roles.weights = object.number("weights");
    roles.gradients = object.number("gradients");
    roles.optimizer = object.number("optimizer");
    roles.castCache = object.number("cast_cache");
    roles.activations = object.number("activations");
    roles.workspace = object.number("workspace");
    if (object.error())
        parent.setError(object.error()->message);
    return roles;
}

Quartiles stepFromJson(JsonObject& parent)
{
    JsonObject object(parent.object("step_ms"), "step_ms");
    const Quartiles step{object.number("lower"), object.number("median"), object.number("upper")};
    if (object.error())
        parent.setError(object.error()->message);
    return step;
}

} // namespace

double MemoryRoles::sum() const
{
    return weights + gradients + optimizer + castCache + activations + workspace;
}

std::string predictionKey(const Variant& variant)
{
    auto json = variantToJson(variant);
    auto& settings = json["settings"];
    for (const auto* group : {"run", "eval", "watch", "debug"})
        settings.erase(group);
    for (const auto* key :
        {"steps", "epochs", "lr", "schedule", "step_size", "gamma", "warmup_steps", "weight_decay"})
        settings["train"].erase(key);
    settings["data"].erase("validation_limit");
    return fmt::format("{} {}", toString(variant.precision), settings.dump());
}

Json toJson(const ModelProbe& probe)
{
    return {{"variant", probe.variant}, {"precision", toString(probe.precision)},
        {"key", probe.key}, {"device", probe.device}, {"reason", probe.reason},
        {"step_ms",
            {{"lower", probe.stepMs.lower}, {"median", probe.stepMs.median},
                {"upper", probe.stepMs.upper}}},
        {"steps", probe.steps}, {"samples_per_second", probe.samplesPerSecond},
        {"run_seconds", probe.runSeconds}, {"peak_memory_bytes", probe.peakMemoryBytes},
        {"predicted", toJson(probe.predicted)}, {"measured", toJson(probe.measured)},
        {"flops", probe.flops}, {"bytes", probe.bytes},
        {"factor", probe.factor ? numberToJson(*probe.factor) : Json()},
        {"batch_size", probe.batchSize}, {"train_samples", probe.trainSamples}};
}

Result<ModelProbe> modelProbeFromJson(const Json& json)
{
    if (!json.is_object())
        return fail("a model's probe is no object");
    JsonObject object(json, "probe");
    ModelProbe probe;
    probe.variant = object.text("variant");
    const auto precision = precisionFromString(object.text("precision"));
    if (!precision)
        object.setError("precision is unknown");
    probe.precision = precision.value_or(Precision::Fp32);
    probe.key = object.text("key");
    probe.device = object.text("device", "");
    probe.reason = object.text("reason");
    probe.stepMs = stepFromJson(object);
    probe.steps = object.integer("steps");
    probe.samplesPerSecond = object.number("samples_per_second");
    probe.runSeconds = object.number("run_seconds");
    probe.peakMemoryBytes = object.number("peak_memory_bytes");
    probe.predicted = rolesFromJson(object, "predicted");
    probe.measured = rolesFromJson(object, "measured");
    probe.flops = object.number("flops");
    probe.bytes = object.number("bytes");
    if (object.has("factor"))
        probe.factor = object.number("factor");
    probe.batchSize = object.integer("batch_size");
    probe.trainSamples = object.integer("train_samples");
    if (object.error())
        return tl::unexpected(*object.error());
    return probe;
}

Json toJson(const ModelCheck& check)
{
    Json json{{"experiment", check.experiment}, {"device", check.device},
        {"measured_ms", check.measuredMs}, {"probes", Json::array()}};
    for (const auto& probe : check.probes)
        json["probes"].push_back(toJson(probe));
    return json;
}

Result<ModelCheck> modelCheckFromJson(const Json& json)
{
    if (!json.is_object())
        return fail("a model's check is no object");
    JsonObject object(json, "check");
    ModelCheck check;
    check.experiment = object.text("experiment");
    check.device = object.text("device");
    check.measuredMs = object.integer("measured_ms");
    const auto probes = object.valueOrNull("probes");
    if (!probes.is_array())
        object.setError("probes is no list");
    for (const auto& entry : probes) {
        auto probe = modelProbeFromJson(entry);
        if (!probe)
            return tl::unexpected(probe.error());
        check.probes.push_back(std::move(*probe));
    }
    if (object.error())
        return tl::unexpected(*object.error());
    return check;
}

} // namespace mantissa
