// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/smoke.h"

#include "core/engine/autocast_guard.h"
#include "core/engine/grad_scaler.h"
#include "core/engine/layers.h"
#include "core/engine/optimizer.h"
#include "core/engine/precision_setup.h"
#include "core/engine/tensor_value.h"
#include "core/engine/type_name.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <torch/headeronly/version.h>

namespace mantissa {

namespace {

void makeDeterministic()
{
    auto& context = at::globalContext();
    at::set_num_threads(1);
    // oneDNN sums in another order on each kind of CPU.
    context.setUserEnabledMkldnn(false);
    context.setBenchmarkCuDNN(false);
    context.setDeterministicCuDNN(true);
    context.setDeterministicAlgorithms(true, true);
    context.setAllowTF32CuBLAS(false);
    context.setAllowTF32CuDNN(false);
}

/// Everything in Python's order: first and second layer, then samples, then targets.
struct Network {
    explicit Network(at::Device device)
        : first(4, 8)
        , second(8, 1)
        , input(at::randn({16, 4}).to(device))
        , target(at::randn({16, 1}).to(device))
    {
        first.moveTo(device, false);
        second.moveTo(device, false);
    }

    std::vector<at::Tensor> parameters() const
    {
        return {first.weight, first.bias, second.weight, second.bias};
    }

    Linear first;
    Linear second;
    at::Tensor input;
    at::Tensor target;
};

Sgd makeSgd(const Network& network)
{
    TrainConfig config;
    config.lr = 0.05;
    config.momentum = 0;
    config.weightDecay = 0;
    return {network.parameters(), config};
}

at::Tensor forward(Network& network, c10::ScalarType type, SmokeResult& result)
{
    const AutocastGuard region(network.input.device().type(), type);
    const auto prediction = network.second(at::relu(network.first(network.input)));
    auto loss = at::mse_loss(prediction, network.target);
    result.predictionType = pythonTypeName(prediction.scalar_type());
    result.lossType = pythonTypeName(loss.scalar_type());
    return loss;
}

Result<void> trainStep(
    Network& network, c10::ScalarType type, GradScaler& scaler, SmokeResult& result)
{
    const auto before = network.first.weight.detach().clone();
    auto sgd = makeSgd(network);
    const auto loss = forward(network, type, result);
    scaler.scale(loss).backward();
    const auto outcome = scaler.step(sgd);
    if (!outcome)
        return tl::unexpected(outcome.error());
    result.stepComplete = *outcome == StepOutcome::Stepped
        || (*outcome == StepOutcome::FoundInfDecides && floatValue(scaler.foundInf(sgd)) == 0);
    if (auto updated = scaler.update(); !updated)
        return updated;
    result.gradientType = pythonTypeName(network.first.weight.grad().scalar_type());
    result.weightChanged = !at::equal(network.first.weight.detach(), before);
    result.lossValue = static_cast<double>(floatValue(loss.detach()));
    return {};
}

Result<SmokeResult> runOn(at::Device device)
{
    makeDeterministic();
    at::manual_seed(7);
    Network network(device);
    const auto type = device.is_cuda() ? at::kHalf : at::kBFloat16;
    GradScaler scaler(ScalerConfig{}, device.is_cuda());
    SmokeResult result;
    result.torchVersion = TORCH_VERSION;
    result.deviceType = c10::DeviceTypeName(device.type(), true);
    result.autocastAvailable = at::autocast::is_autocast_available(device.type());
    result.ampType = pythonTypeName(type);
    result.scalerEnabled = scaler.isEnabled();
    if (auto trained = trainStep(network, type, scaler, result); !trained)
        return tl::unexpected(trained.error());
    return result;
}

} // namespace

nlohmann::ordered_json SmokeResult::toJson() const
{
    return {{"torch_version", torchVersion}, {"device_type", deviceType},
        {"autocast_available", autocastAvailable}, {"amp_dtype", ampType},
        {"scaler_enabled", scalerEnabled}, {"prediction_dtype", predictionType},
        {"loss_dtype", lossType}, {"grad_dtype", gradientType}, {"weight_changed", weightChanged},
        {"loss_value", lossValue}, {"step_complete", stepComplete}};
}

Result<SmokeResult> runSmoke(const std::string& deviceKind, const CudaPlugin& plugin)
{
    const auto device = chooseDevice(deviceKind, plugin);
    if (!device)
        return tl::unexpected(device.error());
    try {
        return runOn(*device);
    } catch (const c10::Error& error) {
        return fail(error.what_without_backtrace());
    } catch (const std::exception& error) {
        return fail(error.what());
    }
}

} // namespace mantissa
