// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/dataset.h"

#include "core/base/paths.h"
#include "core/engine/cifar_reader.h"
#include "core/engine/idx_reader.h"
#include "core/engine/table_split.h"
#include "core/engine/text_reader.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace mantissa {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kShapesTrain = 12000;
constexpr std::int64_t kShapesValidation = 2000;

Result<ImageSet> readImageSet(const fs::path& imageFile, const fs::path& labelFile)
{
    auto images = readIdx(imageFile, 3);
    if (!images)
        return tl::unexpected(images.error());
    auto labels = readIdx(labelFile, 1);
    if (!labels)
        return tl::unexpected(labels.error());
    if (images->sizes[0] != labels->sizes[0])
        return fail(fmt::format("{} holds {} images, {} holds {} labels: they must be equally many",
            imageFile.string(), images->sizes[0], labelFile.string(), labels->sizes[0]));
    ImageSet set;
    set.count = images->sizes[0];
    set.height = images->sizes[1];
    set.width = images->sizes[2];
    set.pixels = std::move(images->values);
    set.labels = std::move(labels->values);
    return set;
}

/// FOLDER/NAME or FOLDER/NAME.gz, whichever is there.
fs::path rawOrGz(const fs::path& folder, const std::string& name)
{
    std::error_code error;
    return fs::exists(folder / name, error) ? folder / name : folder / (name + ".gz");
}

std::int64_t classesOf(const ImageSet& set)
{
    return *std::max_element(set.labels.begin(), set.labels.end()) + std::int64_t{1};
}

Result<Dataset> join(Result<ImageSet> train, Result<ImageSet> validation)
{
    if (!train)
        return tl::unexpected(train.error());
    if (!validation)
        return tl::unexpected(validation.error());
    if (train->height != validation->height || train->width != validation->width)
        return fail(fmt::format("training images are {} x {}, validation images {} x {} pixels",
            train->height, train->width, validation->height, validation->width));
    Dataset data;
    data.classes = std::max(classesOf(*train), classesOf(*validation));
    data.train = std::move(*train);
    data.validation = std::move(*validation);
    return data;
}

Result<Dataset> loadFashionMnist(const DataConfig& config)
{
    const auto folder = fashionMnistFolder(config.root);
    if (!folder)
        return tl::unexpected(folder.error());
    auto data = join(readImageSet(rawOrGz(*folder, "train-images-idx3-ubyte"),
                         rawOrGz(*folder, "train-labels-idx1-ubyte")),
        readImageSet(rawOrGz(*folder, "t10k-images-idx3-ubyte"),
            rawOrGz(*folder, "t10k-labels-idx1-ubyte")));
    if (!data)
        return data;
    data->normalisation = {{0.2860F}, {0.3530F}};
    data->origin = *folder;
    return data;
}

Result<Dataset> loadIdx(const DataConfig& config)
{
    auto data = join(readImageSet(config.images, config.labels),
        readImageSet(config.validationImages, config.validationLabels));
    if (data)
        data->origin = config.images;
    return data;
}

Result<Dataset> loadCsv(const DataConfig& config)
{
    auto table = readCsv(config.path, {config.target, config.targetKind == TargetWord::Class});
    if (!table)
        return tl::unexpected(table.error());
    return splitTable(*table, config);
}

/// A relative path that is not there is looked for among the files that ship with the program.
fs::path textFile(const std::string& path)
{
    std::error_code error;
    const auto shipped = shippedFolder("experiments") / path;
    return !fs::exists(path, error) && fs::exists(shipped, error) ? shipped : fs::path(path);
}

Result<Dataset> loadText(const DataConfig& config)
{
    auto text = readTextFile(textFile(config.path));
    if (!text)
        return tl::unexpected(text.error());
    const auto length = static_cast<double>(text->tokens.size());
    const auto held = static_cast<std::int64_t>(length * config.validationShare);
    const auto split = text->tokens.end() - held;
    Dataset data;
    data.target = TargetKind::NextToken;
    data.classes = static_cast<std::int64_t>(text->vocabulary.size());
    data.trainText = {{text->tokens.begin(), split}, config.sequence};
    data.validationText = {{split, text->tokens.end()}, config.sequence};
    data.origin = textFile(config.path).string();
    data.details = {{"characters", text->tokens.size()}, {"vocabulary", toUtf8(text->vocabulary)},
        {"validation_part", "the end of the text"}};
    if (data.validationCount() < 1)
        return fail(fmt::format("{} has {} characters: too few for data.sequence = {} and "
                                "data.validation_share = {}",
            data.origin, text->tokens.size(), config.sequence, config.validationShare));
    return data;
}

void cut(ImageSet& set, std::int64_t limit)
{
    if (limit <= 0 || limit >= set.count)
        return;
    set.count = limit;
    set.pixels.resize(static_cast<std::size_t>(limit * set.imageBytes()));
    set.labels.resize(static_cast<std::size_t>(limit));
    set.pixels.shrink_to_fit();
}

void cut(TableSet& set, std::int64_t limit)
{
    if (limit <= 0 || limit >= set.count)
        return;
    set.count = limit;
    set.values.resize(static_cast<std::size_t>(limit * set.features));
    set.targets.resize(static_cast<std::size_t>(limit));
}

void cut(TokenSet& set, std::int64_t limit)
{
    if (limit > 0 && limit < set.count())
        set.tokens.resize(static_cast<std::size_t>(limit * set.sequence + 1));
}

Result<Dataset> loadSource(const DataConfig& config)
{
    switch (config.source) {
    case DataSource::FashionMnist:
        return loadFashionMnist(config);
    case DataSource::Idx:
        return loadIdx(config);
    case DataSource::Cifar10:
        return readCifar10(config.root);
    case DataSource::Text:
        return loadText(config);
    case DataSource::Csv:
        return loadCsv(config);
    case DataSource::Shapes:
        break;
    }
    return makeShapes(kShapesTrain, kShapesValidation);
}

} // namespace

std::int64_t TokenSet::count() const
{
    return sequence == 0 || tokens.empty()
        ? 0
        : (static_cast<std::int64_t>(tokens.size()) - 1) / sequence;
}

std::int64_t Dataset::trainCount() const
{
    return train.count + trainRows.count + trainText.count();
}

std::int64_t Dataset::validationCount() const
{
    return validation.count + validationRows.count + validationText.count();
}

DataShape Dataset::shape() const
{
    DataShape shape;
    shape.target = target;
    shape.classes = classes;
    shape.features = trainRows.features;
    shape.sequence = trainText.sequence;
    if (train.count > 0) {
        shape.channels = train.channels;
        shape.height = train.height;
        shape.width = train.width;
    }
    return shape;
}

Result<Dataset> loadDataset(const DataConfig& config)
{
    auto data = loadSource(config);
    if (!data)
        return data;
    cut(data->train, config.trainLimit);
    cut(data->validation, config.validationLimit);
    cut(data->trainRows, config.trainLimit);
    cut(data->validationRows, config.validationLimit);
    cut(data->trainText, config.trainLimit);
    cut(data->validationText, config.validationLimit);
    if (config.batchSize > data->trainCount())
        return fail(fmt::format("data.batch_size = {} is larger than the training set; allowed: at "
                                "most its {} samples",
            config.batchSize, data->trainCount()));
    return data;
}

} // namespace mantissa
