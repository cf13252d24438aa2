// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <cstdint>
#include <vector>

namespace mantissa {

struct Batch {
    at::Tensor input; ///< N x C x H x W or N x features, fp32, normalised; N x sequence, int64
    at::Tensor target; ///< N or N x sequence, int64; N, fp32 for values
};

/// The order of the training samples: each epoch a permutation drawn by randperm from a generator
/// of its own, seeded with the run's seed (without shuffling: the file's order). Depends on nothing
/// else, so that all variants of a comparison see the same batches. The rest of an epoch that does
/// not fill a batch is left out.
class TrainingOrder {
public:
    TrainingOrder(std::int64_t count, std::int64_t batchSize, bool shuffle, std::uint64_t seed);

    /// The next batch's indices; valid until the next call.
    const std::vector<std::int64_t>& next();
    /// The same order from its start, with a generator of its own. Any thread.
    TrainingOrder fresh() const { return {m_count, m_batchSize, m_shuffle, m_seed}; }
    /// As if `batches` batches had been taken from the start.
    void seek(std::int64_t batches);
    std::int64_t batchesPerEpoch() const { return m_count / m_batchSize; }
    std::int64_t epoch() const { return m_epoch; } ///< 1-based; 0 before the first batch

private:
    void beginEpoch();

    const std::int64_t m_count;
    const std::int64_t m_batchSize;
    const bool m_shuffle;
    const std::uint64_t m_seed;
    at::Generator m_generator;
    std::vector<std::int64_t> m_order;
    std::vector<std::int64_t> m_batch;
    std::int64_t m_position = 0;
    std::int64_t m_epoch = 0;
};

} // namespace mantissa
