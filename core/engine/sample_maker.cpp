// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/sample_maker.h"

#include "core/engine/sample_hash.h"

#include <ATen/ATen.h>
#include <algorithm>

namespace mantissa {

namespace {

constexpr std::int64_t kBytes = 256;

at::Tensor allocated(at::IntArrayRef sizes, at::ScalarType type, bool pinned)
{
    return at::empty(sizes, at::TensorOptions(type).pinned_memory(pinned));
}

void lookUp(const float* table, const std::uint8_t* pixels, std::int64_t count, float* values)
{
#pragma GCC unroll 8
    for (std::int64_t i = 0; i < count; ++i)
        values[i] = table[pixels[i]];
}

class TableMaker : public SampleMaker {
public:
    TableMaker(const TableSet& set, TargetKind target)
        : m_set(set)
        , m_isClass(target == TargetKind::Class)
    {
    }

    std::int64_t count() const override { return m_set.count; }

    Batch allocate(std::int64_t samples, bool pinned) const override
    {
        return {allocated({samples, m_set.features}, at::kFloat, pinned),
            allocated({samples}, m_isClass ? at::kLong : at::kFloat, pinned)};
    }

    void fill(
        const std::vector<std::int64_t>& indices, std::int64_t, const Batch& batch) const override
    {
        auto* value = batch.input.mutable_data_ptr<float>();
        for (std::size_t i = 0; i < indices.size(); ++i) {
            const auto row = indices[i];
            value = std::copy_n(m_set.values.begin() + row * m_set.features, m_set.features, value);
            const auto target = m_set.targets[static_cast<std::size_t>(row)];
            if (m_isClass)
                batch.target.mutable_data_ptr<std::int64_t>()[i] =
                    static_cast<std::int64_t>(target);
            else
                batch.target.mutable_data_ptr<float>()[i] = target;
        }
    }

private:
    const TableSet& m_set;
    bool m_isClass;
};

class TextMaker : public SampleMaker {
public:
    explicit TextMaker(const TokenSet& set)
        : m_set(set)
    {
    }

    std::int64_t count() const override { return m_set.count(); }

    Batch allocate(std::int64_t samples, bool pinned) const override
    {
        return {allocated({samples, m_set.sequence}, at::kLong, pinned),
            allocated({samples, m_set.sequence}, at::kLong, pinned)};
    }

    void fill(
        const std::vector<std::int64_t>& indices, std::int64_t, const Batch& batch) const override
    {
        const auto length = m_set.sequence;
        auto* input = batch.input.mutable_data_ptr<std::int64_t>();
        auto* target = batch.target.mutable_data_ptr<std::int64_t>();
        for (const auto index : indices) {
            const auto first = m_set.tokens.begin() + index * length;
            input = std::copy_n(first, length, input);
            target = std::copy_n(first + 1, length, target);
        }
    }

private:
    const TokenSet& m_set;
};

} // namespace

SampleMaker::~SampleMaker() = default;

ImageMaker::ImageMaker(
    const ImageSet& set, const Normalisation& normalisation, const Augmentation& augmentation)
    : m_set(set)
    , m_augmentation(augmentation)
{
    for (std::int64_t channel = 0; channel < set.channels; ++channel) {
        const auto at = static_cast<std::size_t>(channel);
        const float mean = normalisation.mean[std::min(at, normalisation.mean.size() - 1)];
        const float deviation =
            normalisation.deviation[std::min(at, normalisation.deviation.size() - 1)];
        for (std::int64_t byte = 0; byte < kBytes; ++byte)
            m_table.push_back((static_cast<float>(byte) / 255.0F - mean) / deviation);
    }
}

Batch ImageMaker::allocate(std::int64_t samples, bool pinned) const
{
    return {allocated({samples, m_set.channels, m_set.height, m_set.width}, at::kFloat, pinned),
        allocated({samples}, at::kLong, pinned)};
}

void ImageMaker::fill(
    const std::vector<std::int64_t>& indices, std::int64_t epoch, const Batch& batch) const
{
    auto* values = batch.input.mutable_data_ptr<float>();
    auto* label = batch.target.mutable_data_ptr<std::int64_t>();
    for (const auto index : indices) {
        fillImage(index, epoch, values);
        values += m_set.imageBytes();
        *label++ = m_set.labels[static_cast<std::size_t>(index)];
    }
}

void ImageMaker::fillImage(std::int64_t index, std::int64_t epoch, float* values) const
{
    if (m_augmentation.isOff()) {
        const auto plane = m_set.height * m_set.width;
        const auto* pixels = m_set.pixels.data() + index * m_set.imageBytes();
        for (std::int64_t channel = 0; channel < m_set.channels; ++channel)
            lookUp(m_table.data() + channel * kBytes, pixels + channel * plane, plane,
                values + channel * plane);
        return;
    }
    const auto bits = sampleHash(m_augmentation.seed, epoch, index);
    const auto places = static_cast<std::uint64_t>(2 * m_augmentation.padCrop + 1);
    const auto down = static_cast<std::int64_t>((bits >> 1) % places) - m_augmentation.padCrop;
    const auto right = static_cast<std::int64_t>((bits >> 32) % places) - m_augmentation.padCrop;
    const bool flipped = m_augmentation.flip && (bits & 1) != 0;
    const auto* pixels = m_set.pixels.data() + index * m_set.imageBytes();
    const auto width = m_set.width;
    // Of a row's pixels those from `begin` to `end` come from the image, the others are black.
    const auto shift = flipped ? right : -right;
    const auto begin = std::clamp<std::int64_t>(shift, 0, width);
    const auto end = std::clamp(width + shift, begin, width);
    for (std::int64_t channel = 0; channel < m_set.channels; ++channel) {
        const float* table = m_table.data() + channel * kBytes;
        for (std::int64_t y = 0; y < m_set.height; ++y, values += width) {
            const auto from = y + down;
            if (from < 0 || from >= m_set.height) {
                std::fill_n(values, width, table[0]);
                continue;
            }
            const auto* row = pixels + (channel * m_set.height + from) * width;
            std::fill_n(values, begin, table[0]);
            if (flipped) {
                for (auto x = begin; x < end; ++x)
                    values[x] = table[row[width - 1 - x + right]];
            } else {
                lookUp(table, row + begin + right, end - begin, values + begin);
            }
            std::fill(values + end, values + width, table[0]);
        }
    }
}

std::unique_ptr<SampleMaker> makeSampleMaker(
    const Dataset& data, DataPart part, const DataConfig& config, std::uint64_t seed)
{
    const bool isTrain = part == DataPart::Train;
    if (data.trainText.sequence > 0)
        return std::make_unique<TextMaker>(isTrain ? data.trainText : data.validationText);
    if (data.trainRows.features > 0)
        return std::make_unique<TableMaker>(
            isTrain ? data.trainRows : data.validationRows, data.target);
    const Augmentation augmentation =
        isTrain ? Augmentation{seed, config.padCrop, config.flip} : Augmentation{};
    return std::make_unique<ImageMaker>(
        isTrain ? data.train : data.validation, data.normalisation, augmentation);
}

} // namespace mantissa
