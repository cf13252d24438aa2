// SPDX-License-Identifier: GPL-3.0-or-later
// Trains the parity cases and writes, for each, a JSON file with its settings, data files, initial
// weights (raw fp32), losses and scales. compare.py repeats them in Python.
#include "core/base/number_text.h"
#include "core/config/config_io.h"
#include "core/engine/dataset.h"
#include "core/engine/trainer.h"

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

using namespace mantissa;
namespace fs = std::filesystem;

namespace {

constexpr int kSteps = 50;

struct Case {
    std::string name;
    Variant variant;
};

Variant baseVariant(ModelKind model, OptimizerKind optimizer, Precision precision)
{
    Variant variant;
    variant.precision = precision;
    auto& settings = variant.settings;
    // fp16 is emulated on many CPUs: tiny shapes.
    const bool tiny = precision == Precision::Fp16;
    settings.model.kind = model;
    settings.model.hidden = {tiny ? 8 : 32, 16};
    settings.model.width = tiny ? 2 : 4;
    settings.data.source = DataSource::Shapes;
    settings.data.trainLimit = 200; // 50 steps cross the end of an epoch
    settings.data.validationLimit = 8;
    settings.data.batchSize = tiny ? 4 : 16;
    settings.train.steps = kSteps;
    settings.train.optimizer = optimizer;
    settings.train.lr = optimizer == OptimizerKind::Sgd ? 0.02 : 1e-3;
    settings.train.warmupSteps = 5;
    settings.device.kind = "cpu";
    settings.device.threads = 1;
    settings.run.seed = 7;
    settings.scaler.growthInterval = 6;
    return variant;
}

std::vector<Case> allCases()
{
    std::vector<Case> cases;
    for (const auto model : {ModelKind::Mlp, ModelKind::Cnn})
        for (const auto optimizer : {OptimizerKind::Sgd, OptimizerKind::AdamW})
            for (const auto precision : {Precision::Fp32, Precision::Bf16, Precision::Fp16})
                cases.push_back({std::string(toString(model)) + "-"
                        + std::string(toString(optimizer)) + "-" + std::string(toString(precision)),
                    baseVariant(model, optimizer, precision)});
    auto clipped = baseVariant(ModelKind::Mlp, OptimizerKind::Sgd, Precision::Fp32);
    clipped.settings.train.clipNorm = 0.5;
    clipped.settings.train.accumulate = 2;
    clipped.settings.train.nesterov = true;
    cases.push_back({"clipping-accumulation-fp32", clipped});
    auto overflow = baseVariant(ModelKind::Mlp, OptimizerKind::AdamW, Precision::Fp16);
    overflow.settings.scaler.initScale = std::ldexp(1.0, 40);
    overflow.settings.train.schedule = LrSchedule::Constant;
    cases.push_back({"overflow-fp16", overflow});
    return cases;
}

void writeBytes(const fs::path& file, const void* bytes, std::size_t size)
{
    std::ofstream(file, std::ios::binary)
        .write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
}

nlohmann::json dumpData(const fs::path& folder, const Variant& variant)
{
    auto data = loadDataset(variant.settings.data);
    if (!data)
        return {};
    writeBytes(folder / "pixels.bin", data->train.pixels.data(), data->train.pixels.size());
    writeBytes(folder / "labels.bin", data->train.labels.data(), data->train.labels.size());
    return {{"pixels", (folder / "pixels.bin").string()},
        {"labels", (folder / "labels.bin").string()}, {"classes", data->classes},
        {"image", {data->train.channels, data->train.height, data->train.width}},
        {"mean", data->normalisation.mean}, {"deviation", data->normalisation.deviation}};
}

nlohmann::json dumpWeights(const fs::path& folder, const std::string& name, const Trainer& trainer)
{
    auto list = nlohmann::json::array();
    for (const auto& weight : trainer.weights()) {
        const auto file = name + "." + weight.name + ".bin";
        writeBytes(folder / file, weight.values.data(), weight.values.size() * sizeof(float));
        list.push_back({{"name", weight.name}, {"file", file}});
    }
    return list;
}

Result<void> dump(const fs::path& folder, const Case& one)
{
    Trainer::Options options;
    options.probe = false;
    // The norm unscales gradients before the step; Python is told to do so where it clips.
    options.gradNorm = false;
    auto trainer =
        Trainer::create(one.variant, CudaPlugin(), std::chrono::steady_clock::now(), options);
    if (!trainer)
        return fail(trainer.error().reason);
    nlohmann::json json{{"precision", toString(one.variant.precision)},
        {"uses_scaler", one.variant.usesScaler()}, {"settings", toJson(one.variant.settings)},
        {"data", dumpData(folder, one.variant)},
        {"weights", dumpWeights(folder, one.name, **trainer)}};
    std::vector<StepRecord> records;
    for (int step = 0; step < kSteps; ++step) {
        if (auto trained = (*trainer)->step(); !trained)
            return trained;
    }
    if (auto collected = (*trainer)->collect(true, records); !collected)
        return collected;
    for (const auto& record : records) {
        json["losses"].push_back(numberToJson(record.loss));
        json["scales"].push_back(numberToJson(record.scale));
    }
    std::ofstream(folder / (one.name + ".json")) << json.dump(1) << '\n';
    return {};
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 2) {
        std::fputs("parity_dump FOLDER\n", stderr);
        return 2;
    }
    const fs::path folder = argv[1];
    fs::create_directories(folder);
    for (const auto& one : allCases()) {
        if (const auto dumped = dump(folder, one); !dumped) {
            std::fprintf(stderr, "%s: %s\n", one.name.c_str(), dumped.error().message.c_str());
            return 1;
        }
    }
    return 0;
}
