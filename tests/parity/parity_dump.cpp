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

/// fp16 is emulated on many CPUs: tiny shapes.
void setSizes(ModelConfig& model, bool tiny)
{
    model.hidden = {tiny ? 8 : 32, 16};
    model.width = model.channels = tiny ? 2 : 4;
    model.patch = 7;
    model.dim = tiny ? 8 : 16;
    model.depth = 2;
    model.heads = 2;
    model.latent = 8;
}

Variant baseVariant(ModelKind model, OptimizerKind optimizer, Precision precision)
{
    Variant variant;
    variant.precision = precision;
    auto& settings = variant.settings;
    const bool tiny = precision == Precision::Fp16;
    settings.model.kind = model;
    setSizes(settings.model, tiny);
    settings.data.source = DataSource::Shapes;
    settings.data.trainLimit = 200; // 50 steps cross the end of an epoch
    settings.data.validationLimit = 8;
    settings.data.batchSize = tiny ? 4 : 16;
    if (model == ModelKind::Gpt || model == ModelKind::Lstm) {
        settings.data.source = DataSource::Text;
        settings.data.path = "experiments/alice.txt"; // tests/parity/run starts in the root
        settings.data.sequence = tiny ? 6 : 12;
    }
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

void accumulateAndClip(TrainConfig& train)
{
    train.accumulate = 2;
    train.clipNorm = 0.5;
}

Case makeCase(ModelKind model, OptimizerKind optimizer, Precision precision)
{
    Case one{std::string(toString(model)) + "-" + std::string(toString(optimizer)) + "-"
            + std::string(toString(precision)),
        baseVariant(model, optimizer, precision)};
    // Every model and precision is seen plain and with both.
    if (optimizer != OptimizerKind::Sgd)
        accumulateAndClip(one.variant.settings.train);
    // Python's fused SGD goes on with an uninitialised momentum buffer if its first step is
    // skipped; this scale does not overflow.
    if (model == ModelKind::Dcgan && optimizer == OptimizerKind::Sgd)
        one.variant.settings.scaler.initScale = 1024;
    return one;
}

std::vector<Case> specialCases()
{
    std::vector<Case> cases;
    auto nesterov = makeCase(ModelKind::Mlp, OptimizerKind::Sgd, Precision::Fp32);
    nesterov.name = "mlp-nesterov-fp32";
    nesterov.variant.settings.train.nesterov = true;
    accumulateAndClip(nesterov.variant.settings.train);
    cases.push_back(nesterov);
    auto overflow = makeCase(ModelKind::Mlp, OptimizerKind::AdamW, Precision::Fp16);
    overflow.name = "mlp-overflow-fp16";
    overflow.variant.settings.scaler.initScale = std::ldexp(1.0, 40);
    overflow.variant.settings.train.schedule = LrSchedule::Constant;
    cases.push_back(overflow);
    for (const auto optimizer : {OptimizerKind::Adam, OptimizerKind::RmsProp}) {
        for (const auto precision : {Precision::Fp32, Precision::Fp16}) {
            auto one = makeCase(ModelKind::Mlp, optimizer, precision);
            one.variant.settings.train.schedule = LrSchedule::Step;
            one.variant.settings.train.stepSize = 20;
            cases.push_back(one);
        }
    }
    auto imagenet = makeCase(ModelKind::Resnet18, OptimizerKind::Sgd, Precision::Fp32);
    imagenet.name = "resnet18-imagenet-fp32";
    imagenet.variant.settings.model.stem = ResnetStem::Imagenet;
    cases.push_back(imagenet);
    auto separate = makeCase(ModelKind::Dcgan, OptimizerKind::Adam, Precision::Fp16);
    separate.name = "dcgan-two-scalers-fp16";
    separate.variant.settings.scaler.perOptimizer = true;
    separate.variant.settings.scaler.initScale = std::ldexp(1.0, 26); // the two back off apart
    cases.push_back(separate);
    return cases;
}

std::vector<Case> allCases()
{
    using enum ModelKind;
    std::vector<Case> cases;
    for (const auto model : {Mlp, Cnn, Resnet18, Vit, Gpt, Lstm, Dcgan})
        for (const auto optimizer : {OptimizerKind::Sgd, OptimizerKind::AdamW})
            for (const auto precision : {Precision::Fp32, Precision::Bf16, Precision::Fp16})
                cases.push_back(makeCase(model, optimizer, precision));
    const auto special = specialCases();
    cases.insert(cases.end(), special.begin(), special.end());
    return cases;
}

void writeBytes(const fs::path& file, const void* bytes, std::size_t size)
{
    std::ofstream(file, std::ios::binary)
        .write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
}

nlohmann::json dumpText(const fs::path& folder, const std::string& name, const Dataset& data)
{
    const auto file = folder / (name + ".tokens.bin");
    const std::vector<std::int64_t> tokens(
        data.trainText.tokens.begin(), data.trainText.tokens.end());
    writeBytes(file, tokens.data(), tokens.size() * sizeof(std::int64_t));
    return {{"tokens", file.string()}, {"samples", data.trainText.count()},
        {"sequence", data.trainText.sequence}, {"classes", data.classes}};
}

nlohmann::json dumpData(const fs::path& folder, const std::string& name, const Variant& variant)
{
    auto data = loadDataset(variant.settings.data);
    if (!data)
        return {};
    if (variant.settings.data.source == DataSource::Text)
        return dumpText(folder, name, *data);
    writeBytes(folder / "pixels.bin", data->train.pixels.data(), data->train.pixels.size());
    writeBytes(folder / "labels.bin", data->train.labels.data(), data->train.labels.size());
    return {{"pixels", (folder / "pixels.bin").string()},
        {"labels", (folder / "labels.bin").string()}, {"classes", data->classes},
        {"image", {data->train.channels, data->train.height, data->train.width}},
        {"mean", data->normalisation.mean.front()},
        {"deviation", data->normalisation.deviation.front()}};
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
        {"data", dumpData(folder, one.name, one.variant)},
        {"fallbacks", (*trainer)->environment().at("fallbacks")},
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
    const auto saved = one.name + ".safetensors";
    if (auto written = (*trainer)->saveWeights(folder / saved); !written)
        return written;
    json["saved"] = saved;
    json["trained"] = dumpWeights(folder, one.name + ".trained", **trainer);
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
