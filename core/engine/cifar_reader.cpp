// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/cifar_reader.h"

#include "core/base/paths.h"
#include "core/engine/whole_file.h"

#include <array>
#include <fmt/format.h>

namespace mantissa {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kCifarSide = 32;
constexpr std::int64_t kChannels = 3;
constexpr std::size_t kImageBytes = kChannels * kCifarSide * kCifarSide;
constexpr std::size_t kRecordBytes = 1 + kImageBytes;
constexpr std::uint8_t kCifarClasses = 10;
constexpr std::array kTrainFiles{"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
    "data_batch_4.bin", "data_batch_5.bin"};
constexpr const char* kTestFile = "test_batch.bin";

/// The folder that holds the files, or where they belong.
Result<fs::path> folderOf(const fs::path& root)
{
    std::vector<fs::path> places{root};
    if (root.empty())
        places = {"/usr/share/datasets/cifar10", "/usr/local/share/datasets/cifar10"};
    for (const auto& place : places) {
        for (const auto& folder : {place, place / "cifar-10-batches-bin"}) {
            std::error_code error;
            if (fs::exists(folder / kTestFile, error))
                return folder;
        }
    }
    return fail(fmt::format(
        "cifar10 is not in {}: get the binary version of CIFAR-10 (cifar-10-binary.tar.gz), unpack "
        "it and set data.root to the folder that holds data_batch_1.bin to data_batch_5.bin and "
        "test_batch.bin",
        root.empty() ? "/usr/share/datasets/cifar10 or /usr/local/share/datasets/cifar10"
                     : root.string()));
}

Result<void> append(ImageSet& set, const fs::path& file)
{
    const auto content = readWholeFile(file);
    if (!content)
        return tl::unexpected(content.error());
    if (content->empty() || content->size() % kRecordBytes != 0)
        return fail(fmt::format("{} has {} bytes, which is no whole number of records of {} bytes: "
                                "it was cut off, or it is not the binary version of CIFAR-10",
            file.string(), content->size(), kRecordBytes));
    for (std::size_t at = 0; at < content->size(); at += kRecordBytes) {
        const auto label = static_cast<std::uint8_t>((*content)[at]);
        if (label >= kCifarClasses)
            return fail(fmt::format("{}: record {} has the label {}; allowed: 0 to 9",
                file.string(), at / kRecordBytes + 1, label));
        set.labels.push_back(label);
        const auto first = content->begin() + static_cast<std::ptrdiff_t>(at + 1);
        set.pixels.insert(set.pixels.end(), first, first + kImageBytes);
    }
    return {};
}

template <typename Files> Result<ImageSet> readSet(const fs::path& folder, const Files& files)
{
    ImageSet set;
    set.channels = kChannels;
    set.height = set.width = kCifarSide;
    for (const auto* file : files) {
        if (auto appended = append(set, folder / file); !appended)
            return tl::unexpected(appended.error());
    }
    set.count = static_cast<std::int64_t>(set.labels.size());
    return set;
}

} // namespace

Result<Dataset> readCifar10(const fs::path& root)
{
    const auto folder = folderOf(root);
    if (!folder)
        return tl::unexpected(folder.error());
    auto train = readSet(*folder, kTrainFiles);
    if (!train)
        return tl::unexpected(train.error());
    auto validation = readSet(*folder, std::array{kTestFile});
    if (!validation)
        return tl::unexpected(validation.error());
    Dataset data;
    data.train = std::move(*train);
    data.validation = std::move(*validation);
    data.classes = kCifarClasses;
    // Mean and deviation of the training set's pixels, per channel.
    data.normalisation = {{0.4914F, 0.4822F, 0.4465F}, {0.2470F, 0.2435F, 0.2616F}};
    data.origin = folder->string();
    return data;
}

} // namespace mantissa
