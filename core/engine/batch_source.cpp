// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/batch_source.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <algorithm>
#include <numeric>

namespace mantissa {

TrainingOrder::TrainingOrder(
    std::int64_t count, std::int64_t batchSize, bool shuffle, std::uint64_t seed)
    : m_count(count)
    , m_batchSize(batchSize)
    , m_shuffle(shuffle)
    , m_seed(seed)
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

void TrainingOrder::seek(std::int64_t batches)
{
    m_generator.set_current_seed(m_seed);
    m_epoch = 0;
    m_position = m_count;
    if (batches == 0)
        return;
    // The epoch of the last batch taken: a new one begins with the next batch only.
    const auto epochs = (batches - 1) / batchesPerEpoch() + 1;
    while (m_epoch < epochs)
        beginEpoch();
    m_position = (batches - (epochs - 1) * batchesPerEpoch()) * m_batchSize;
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
