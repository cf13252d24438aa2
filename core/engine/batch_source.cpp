// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/batch_source.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <algorithm>
#include <numeric>

namespace mantissa {

namespace {

at::Tensor bytesToDevice(const std::vector<std::uint8_t>& bytes, at::Device device)
{
    // The CPU tensor only borrows the bytes; to() copies them.
    return at::from_blob(const_cast<std::uint8_t*>(bytes.data()),
        {static_cast<std::int64_t>(bytes.size())}, at::kByte)
        .to(device);
}

} // namespace

BatchMaker::BatchMaker(
    const ImageSet& set, const Normalisation& normalisation, at::Device device, bool channelsLast)
    : m_set(set)
    , m_normalisation(normalisation)
    , m_device(device)
    , m_channelsLast(channelsLast)
{
    for (int byte = 0; byte < 256; ++byte)
        m_table.push_back(
            (static_cast<float>(byte) / 255.0F - normalisation.mean) / normalisation.deviation);
    if (m_device.is_cpu())
        return;
    m_deviceImages =
        bytesToDevice(set.pixels, device).view({set.count, set.channels, set.height, set.width});
    m_deviceLabels = bytesToDevice(set.labels, device).to(at::kLong);
}

void BatchMaker::make(const std::vector<std::int64_t>& indices, Batch& batch)
{
    if (m_device.is_cpu())
        makeOnCpu(indices, batch);
    else
        makeOnDevice(indices, batch);
}

void BatchMaker::makeOnCpu(const std::vector<std::int64_t>& indices, Batch& batch)
{
    const auto count = static_cast<std::int64_t>(indices.size());
    if (!batch.images.defined() || batch.images.size(0) != count) {
        batch.images = at::empty({count, m_set.channels, m_set.height, m_set.width}, at::kFloat);
        batch.labels = at::empty({count}, at::kLong);
    }
    // One channel: channels-last and contiguous are the same memory.
    const auto bytes = m_set.imageBytes();
    float* value = batch.images.mutable_data_ptr<float>();
    auto* label = batch.labels.mutable_data_ptr<std::int64_t>();
    for (const auto index : indices) {
        const std::uint8_t* pixel = m_set.pixels.data() + index * bytes;
        for (std::int64_t i = 0; i < bytes; ++i)
            *value++ = m_table[pixel[i]];
        *label++ = m_set.labels[static_cast<std::size_t>(index)];
    }
}

void BatchMaker::makeOnDevice(const std::vector<std::int64_t>& indices, Batch& batch)
{
    const auto positions = at::tensor(indices, at::kLong).to(m_device, at::kLong, true);
    auto images = m_deviceImages.index_select(0, positions).to(at::kFloat);
    images = images.div_(255).sub_(m_normalisation.mean).div_(m_normalisation.deviation);
    batch.images = m_channelsLast ? images.contiguous(at::MemoryFormat::ChannelsLast) : images;
    batch.labels = m_deviceLabels.index_select(0, positions);
}

TrainingOrder::TrainingOrder(
    std::int64_t count, std::int64_t batchSize, bool shuffle, std::uint64_t seed)
    : m_count(count)
    , m_batchSize(batchSize)
    , m_shuffle(shuffle)
    , m_generator(at::make_generator<at::CPUGeneratorImpl>(seed))
    , m_order(static_cast<std::size_t>(count))
    , m_batch(static_cast<std::size_t>(batchSize))
    , m_position(count)
{
    std::iota(m_order.begin(), m_order.end(), 0);
}

void TrainingOrder::beginEpoch()
{
    m_position = 0;
    ++m_epoch;
    if (!m_shuffle)
        return;
    const auto permutation = at::randperm(m_count, m_generator, at::kLong);
    const auto* first = permutation.const_data_ptr<std::int64_t>();
    std::copy(first, first + m_count, m_order.begin());
}

const std::vector<std::int64_t>& TrainingOrder::next()
{
    if (m_position + m_batchSize > m_count)
        beginEpoch();
    std::copy_n(m_order.begin() + m_position, m_batchSize, m_batch.begin());
    m_position += m_batchSize;
    return m_batch;
}

} // namespace mantissa
