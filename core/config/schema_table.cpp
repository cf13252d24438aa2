// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/schema_bind.h"
#include "core/config/schema_model.h"
#include "core/config/schema_watch.h"

#include <charconv>

namespace mantissa {

namespace {

using schema::above;
using schema::bind;
using schema::closed;

using S = Settings;
using Keys = std::vector<KeySpec>;

bool isDeviceName(std::string_view text)
{
    if (text == "auto" || text == "cpu")
        return true;
    if (!text.starts_with("cuda:"))
        return false;
    const auto digits = text.substr(5);
    unsigned index = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    return error == std::errc{} && end == digits.data() + digits.size() && index < 64;
}

constexpr std::string_view kSameData = "all variants see the same data in the same order";
constexpr std::string_view kSamePlan = "the plan of runs and seeds is one for all variants";

void addDataPlaces(Keys& keys)
{
    auto source = bind<&S::data, &DataConfig::source>("data.source");
    source.help = "Images (fashion-mnist, idx, cifar10), text, csv; shapes is made by the program";
    auto root = bind<&S::data, &DataConfig::root>("data.root");
    root.zeroMeans = "the system's places";
    root.help = "Folder of the files of fashion-mnist or cifar10";
    auto images = bind<&S::data, &DataConfig::images>("data.images");
    images.help = "IDX file of the training images, raw or .gz";
    auto labels = bind<&S::data, &DataConfig::labels>("data.labels");
    labels.help = "IDX file of the training labels, raw or .gz";
    auto checkImages = bind<&S::data, &DataConfig::validationImages>("data.validation_images");
    checkImages.help = "IDX file of the validation images, raw or .gz";
    auto checkLabels = bind<&S::data, &DataConfig::validationLabels>("data.validation_labels");
    checkLabels.help = "IDX file of the validation labels, raw or .gz";
    for (auto* spec : {&source, &root, &images, &labels, &checkImages, &checkLabels}) {
        spec->sharedBecause = kSameData;
        keys.push_back(*spec);
    }
}

void addTextAndCsv(Keys& keys)
{
    auto path = bind<&S::data, &DataConfig::path>("data.path");
    path.help = "The file: UTF-8 text, or comma-separated values with a line of names first";
    auto sequence = bind<&S::data, &DataConfig::sequence>("data.sequence");
    sequence.range = closed(1, 65536);
    sequence.unit = "characters";
    sequence.help = "Characters of a sample; the target is the text one character on";
    auto target = bind<&S::data, &DataConfig::target>("data.target");
    target.zeroMeans = "the last column";
    target.help = "Name of the column that is to be predicted";
    auto kind = bind<&S::data, &DataConfig::targetKind>("data.target_kind");
    kind.help = "class: one of the names in the column; value: its number (regression)";
    auto share = bind<&S::data, &DataConfig::validationShare>("data.validation_share");
    share.range = {0, 1, true, true};
    share.help = "Part held back for validation: the end of a text, rows by chance of a csv file";
    for (auto* spec : {&path, &sequence, &target, &kind, &share}) {
        spec->sharedBecause = kSameData;
        keys.push_back(*spec);
    }
}

void addAugmentation(Keys& keys)
{
    auto crop = bind<&S::data, &DataConfig::padCrop>("data.pad_crop");
    crop.range = closed(0, 64);
    crop.unit = "pixels";
    crop.zeroMeans = "off";
    crop.help = "Training images are moved at random by up to so many pixels, the rest is black";
    auto flip = bind<&S::data, &DataConfig::flip>("data.flip");
    flip.help = "Half of the training images, by chance, are mirrored left to right";
    for (auto* spec : {&crop, &flip}) {
        spec->sharedBecause = kSameData;
        keys.push_back(*spec);
    }
    auto prefetch = bind<&S::data, &DataConfig::prefetch>("data.prefetch");
    prefetch.range = closed(0, 64);
    prefetch.unit = "steps";
    prefetch.zeroMeans = "no thread of its own";
    prefetch.help = "Steps whose batches a thread of its own makes ahead; changes no number";
    keys.push_back(prefetch);
}

void addData(Keys& keys)
{
    addDataPlaces(keys);
    addTextAndCsv(keys);
    auto batch = bind<&S::data, &DataConfig::batchSize>("data.batch_size");
    batch.range = closed(1, 65536);
    batch.unit = "samples";
    batch.help = "Samples of a micro-batch";
    keys.push_back(batch);

    auto shuffle = bind<&S::data, &DataConfig::shuffle>("data.shuffle");
    shuffle.help = "A new order for each epoch, from the seed";
    auto train = bind<&S::data, &DataConfig::trainLimit>("data.train_limit");
    train.help = "Use only the first samples of the training data";
    auto validation = bind<&S::data, &DataConfig::validationLimit>("data.validation_limit");
    validation.help = "Use only the first samples of the validation data";
    for (auto* spec : {&train, &validation}) {
        spec->range = closed(0, 1e9);
        spec->unit = "samples";
        spec->zeroMeans = "all";
    }
    for (auto* spec : {&shuffle, &train, &validation}) {
        spec->sharedBecause = kSameData;
        keys.push_back(*spec);
    }
    addAugmentation(keys);
}

void addTrainLength(Keys& keys)
{
    auto steps = bind<&S::train, &TrainConfig::steps>("train.steps");
    steps.range = closed(1, 1e7);
    steps.unit = "steps";
    steps.help = "Optimizer steps, applied and skipped ones";
    keys.push_back(steps);

    auto epochs = bind<&S::train, &TrainConfig::epochs>("train.epochs");
    epochs.range = closed(0, 1e6);
    epochs.unit = "epochs";
    epochs.zeroMeans = "use steps";
    epochs.help = "Passes over the training data, in place of steps";
    keys.push_back(epochs);
}

void addOptimizer(Keys& keys)
{
    auto optimizer = bind<&S::train, &TrainConfig::optimizer>("train.optimizer");
    optimizer.help = "The optimizer; all but rmsprop run on a fused kernel";
    auto lr = bind<&S::train, &TrainConfig::lr>("train.lr");
    lr.range = above(0, 10);
    lr.help = "Learning rate before the schedule";
    auto momentum = bind<&S::train, &TrainConfig::momentum>("train.momentum");
    momentum.range = {0, 1, false, true};
    momentum.help = "Momentum of sgd and rmsprop";
    auto nesterov = bind<&S::train, &TrainConfig::nesterov>("train.nesterov");
    nesterov.help = "Nesterov's momentum; needs a momentum above 0";
    auto beta1 = bind<&S::train, &TrainConfig::beta1>("train.beta1");
    beta1.range = {0, 1, false, true};
    beta1.help = "Decay of the running mean of the gradient";
    auto beta2 = bind<&S::train, &TrainConfig::beta2>("train.beta2");
    beta2.range = {0, 1, false, true};
    beta2.help = "Decay of the running mean of the squared gradient";
    auto alpha = bind<&S::train, &TrainConfig::alpha>("train.alpha");
    alpha.range = {0, 1, false, true};
    alpha.help = "Decay of rmsprop's running mean of the squared gradient";
    auto eps = bind<&S::train, &TrainConfig::eps>("train.eps");
    eps.range = closed(0, 1);
    eps.help = "Added to the denominator of the update";
    auto decay = bind<&S::train, &TrainConfig::weightDecay>("train.weight_decay");
    decay.range = closed(0, 1);
    decay.help = "Weight decay: decoupled in adamw, L2 in the others";
    for (auto* spec : {&optimizer, &lr, &momentum, &nesterov, &beta1, &beta2, &alpha, &eps, &decay})
        keys.push_back(*spec);
}

void addTrain(Keys& keys)
{
    addTrainLength(keys);
    addOptimizer(keys);
    auto schedule = bind<&S::train, &TrainConfig::schedule>("train.schedule");
    schedule.help = "Learning-rate schedule; only applied steps advance it";
    auto stepSize = bind<&S::train, &TrainConfig::stepSize>("train.step_size");
    stepSize.range = closed(1, 1e7);
    stepSize.unit = "steps";
    stepSize.help = "Applied steps after which the schedule step lowers the learning rate";
    auto gamma = bind<&S::train, &TrainConfig::gamma>("train.gamma");
    gamma.range = {0, 1, true, false};
    gamma.help = "Factor by which the schedule step lowers the learning rate";
    auto warmup = bind<&S::train, &TrainConfig::warmupSteps>("train.warmup_steps");
    warmup.range = closed(0, 1e7);
    warmup.unit = "steps";
    warmup.zeroMeans = "none";
    warmup.help = "Applied steps over which the learning rate rises linearly";
    auto accumulate = bind<&S::train, &TrainConfig::accumulate>("train.accumulate");
    accumulate.range = closed(1, 65536);
    accumulate.unit = "micro-batches";
    accumulate.help = "Micro-batches whose gradients are added before a step";
    auto clip = bind<&S::train, &TrainConfig::clipNorm>("train.clip_norm");
    clip.range = closed(0, 1e9);
    clip.zeroMeans = "off";
    clip.help = "Largest L2 norm of the unscaled gradient; longer ones are shortened to it";
    auto rollback = bind<&S::train, &TrainConfig::rollbackBuffers>("train.rollback_buffers");
    rollback.help = "A skipped step leaves running statistics (batch norm) as they were before it";
    for (auto* spec : {&schedule, &stepSize, &gamma, &warmup, &accumulate, &clip, &rollback})
        keys.push_back(*spec);
}

void addEvalDeviceAutocast(Keys& keys)
{
    auto every = bind<&S::eval, &EvalConfig::every>("eval.every");
    every.range = closed(0, 1e7);
    every.unit = "steps";
    every.zeroMeans = "at the end only";
    every.help = "Steps between validations; there is always one at the end";
    auto device = bind<&S::device, &DeviceConfig::kind>("device.kind");
    device.choices = {"auto", "cpu", "cuda:0"};
    device.form = "auto, cpu, cuda:N";
    device.fits = isDeviceName;
    device.help = "auto takes the first CUDA device where there is one, else the CPU";
    auto threads = bind<&S::device, &DeviceConfig::threads>("device.threads");
    threads.range = closed(0, 1024);
    threads.unit = "threads";
    threads.zeroMeans = "all usable cores";
    threads.help = "CPU threads of the worker";
    auto deterministic = bind<&S::device, &DeviceConfig::deterministic>("device.deterministic");
    deterministic.help = "Only algorithms that give the same bits every time";
    auto benchmark = bind<&S::device, &DeviceConfig::cudnnBenchmark>("device.cudnn_benchmark");
    benchmark.help = "Let cuDNN time its algorithms and take the fastest";
    auto channels = bind<&S::device, &DeviceConfig::channelsLast>("device.channels_last");
    channels.help = "Keep images and weights of convolutions in channels-last order";
    auto cache = bind<&S::autocast, &AutocastConfig::cache>("autocast.cache");
    cache.help = "Cast each weight once per forward pass, not at every use";
    for (auto* spec : {&every, &device, &threads, &deterministic, &benchmark, &channels, &cache})
        keys.push_back(*spec);
}

void addRun(Keys& keys)
{
    auto seed = bind<&S::run, &RunConfig::seed>("run.seed");
    seed.range = closed(0, 2147483647);
    seed.help = "Seed of weights and data order; repetition r uses seed + r";
    auto repeat = bind<&S::run, &RunConfig::repeat>("run.repeat");
    repeat.range = closed(1, 1000);
    repeat.help = "Repetitions of every variant, each with a seed of its own";
    auto schedule = bind<&S::run, &RunConfig::schedule>("run.schedule");
    schedule.help = "interleaved: blocks in forward, then reversed order; sequential: one by one";
    auto block = bind<&S::run, &RunConfig::block>("run.block");
    block.range = closed(1, 10000);
    block.unit = "steps";
    block.help = "Steps of a block when interleaved";
    for (auto* spec : {&seed, &repeat, &schedule, &block}) {
        spec->sharedBecause = kSamePlan;
        keys.push_back(*spec);
    }
    auto limit = bind<&S::run, &RunConfig::maxSteps>("run.max_steps");
    limit.range = closed(0, 1e7);
    limit.unit = "steps";
    limit.zeroMeans = "no limit";
    limit.help = "Steps after which a variant stops; the learning-rate schedule keeps its length";
    keys.push_back(limit);
    auto seconds = bind<&S::run, &RunConfig::maxSeconds>("run.max_seconds");
    seconds.range = closed(0, 1e9);
    seconds.unit = "s";
    seconds.zeroMeans = "no limit";
    seconds.help = "Training time after which a variant stops";
    keys.push_back(seconds);
    auto checkpoint = bind<&S::run, &RunConfig::checkpointEvery>("run.checkpoint_every");
    checkpoint.range = closed(0, 1e7);
    checkpoint.unit = "steps";
    checkpoint.zeroMeans = "no checkpoints";
    checkpoint.help = "Steps between checkpoints, and one when a run is stopped; two are kept";
    keys.push_back(checkpoint);
    auto weights = bind<&S::run, &RunConfig::saveWeights>("run.save_weights");
    weights.help = "Keep the weights at the end as a safetensors file beside the store";
    keys.push_back(weights);
}

void addScalerRule(Keys& keys)
{
    auto hysteresis = bind<&S::scaler, &ScalerConfig::hysteresis>("scaler.hysteresis");
    hysteresis.range = closed(1, 1000);
    hysteresis.unit = "skipped steps";
    hysteresis.help = "Skipped steps until the scale backs off; 1 = at the first";
    auto refill = bind<&S::scaler, &ScalerConfig::hysteresisRefill>("scaler.hysteresis_refill");
    refill.help = "What makes the hysteresis full again: growth of the scale, or any applied step";
    auto tolerance = bind<&S::scaler, &ScalerConfig::tolerance>("scaler.tolerance");
    tolerance.range = {0, 1, false, true};
    tolerance.help = "Share of skipped steps since the last change below which the scale stays";
    auto recheck = bind<&S::scaler, &ScalerConfig::recheck>("scaler.recheck");
    recheck.help = "Look for inf and NaN once more after clipping, just before the step";
    for (auto* spec : {&hysteresis, &refill, &tolerance, &recheck})
        keys.push_back(*spec);
}

void addScaler(Keys& keys)
{
    // The scale is a float32 on the device.
    constexpr double kFloatMax = 3.4028234663852886e38;
    auto enabled = bind<&S::scaler, &ScalerConfig::enabled>("scaler.enabled");
    enabled.help = "Whether a GradScaler is used; auto: in fp16 variants only";
    auto each = bind<&S::scaler, &ScalerConfig::perOptimizer>("scaler.per_optimizer");
    each.help = "A scaler of its own for each of dcgan's two optimizers, instead of one for both";
    auto policy = bind<&S::scaler, &ScalerConfig::policy>("scaler.policy");
    policy.help = "How the scale changes; see the page about the GradScaler";
    auto init = bind<&S::scaler, &ScalerConfig::initScale>("scaler.init_scale");
    init.range = above(0, kFloatMax);
    init.help = "Loss scale of the first step";
    auto growth = bind<&S::scaler, &ScalerConfig::growthFactor>("scaler.growth_factor");
    growth.range = above(1, 1e9);
    growth.help = "The scale is multiplied by this after growth_interval applied steps in a row";
    auto backoff = bind<&S::scaler, &ScalerConfig::backoffFactor>("scaler.backoff_factor");
    backoff.range = {0, 1, true, true};
    backoff.help = "The scale is multiplied by this after a skipped step";
    auto interval = bind<&S::scaler, &ScalerConfig::growthInterval>("scaler.growth_interval");
    interval.range = closed(1, 1e9);
    interval.unit = "steps";
    interval.help = "Applied steps in a row before the scale grows";
    auto floor = bind<&S::scaler, &ScalerConfig::minScale>("scaler.min_scale");
    floor.help = "The scale does not fall below this; deepspeed has 1, fairseq 0.0001 without it";
    auto ceiling = bind<&S::scaler, &ScalerConfig::maxScale>("scaler.max_scale");
    ceiling.help = "The scale does not rise above this";
    for (auto* spec : {&floor, &ceiling}) {
        spec->range = above(0, kFloatMax);
        spec->optional = true;
    }
    for (auto* spec :
        {&enabled, &each, &policy, &init, &growth, &backoff, &interval, &floor, &ceiling})
        keys.push_back(*spec);
    addScalerRule(keys);
}

} // namespace

const std::vector<GroupSpec>& schemaGroups()
{
    static const std::vector<GroupSpec> groups{{"model", "Model"}, {"data", "Data"},
        {"train", "Training"}, {"eval", "Evaluation"}, {"device", "Device"},
        {"autocast", "Autocast"}, {"run", "Runs"}, {"scaler", "Scaler"}, {"watch", "Alerts"},
        {"debug", "Debugging"}};
    return groups;
}

const std::vector<KeySpec>& schemaKeys()
{
    static const Keys keys = [] {
        Keys all;
        schema::addModel(all);
        addData(all);
        addTrain(all);
        addEvalDeviceAutocast(all);
        addRun(all);
        addScaler(all);
        schema::addWatch(all);
        return all;
    }();
    return keys;
}

} // namespace mantissa
