// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/dataset.h"

#include "core/base/paths.h"
#include "core/engine/idx_reader.h"

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
    data->normalisation = {0.2860F, 0.3530F};
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

void cut(ImageSet& set, std::int64_t limit)
{
    if (limit <= 0 || limit >= set.count)
        return;
    set.count = limit;
    set.pixels.resize(static_cast<std::size_t>(limit * set.imageBytes()));
    set.labels.resize(static_cast<std::size_t>(limit));
    set.pixels.shrink_to_fit();
}

} // namespace

Result<Dataset> loadDataset(const DataConfig& config)
{
    Result<Dataset> data = config.source == DataSource::FashionMnist ? loadFashionMnist(config)
        : config.source == DataSource::Idx                           ? loadIdx(config)
                                           : makeShapes(kShapesTrain, kShapesValidation);
    if (!data)
        return data;
    cut(data->train, config.trainLimit);
    cut(data->validation, config.validationLimit);
    if (config.batchSize > data->train.count)
        return fail(fmt::format("data.batch_size = {} is larger than the training set; allowed: at "
                                "most its {} images",
            config.batchSize, data->train.count));
    return data;
}

} // namespace mantissa
