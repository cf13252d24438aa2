// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/dataset.h"

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <vector>

namespace mantissa {

struct Batch {
    at::Tensor images; ///< N x C x H x W, fp32, normalised
    at::Tensor labels; ///< N, int64
};

/// Batches of an ImageSet on a device. On the CPU bytes are looked up in a table of 256 normalised
/// values; elsewhere the bytes lie on the device and are normalised there. One thread.
class BatchMaker {
public:
    /// `set` must outlive this.
    BatchMaker(const ImageSet& set, const Normalisation& normalisation, at::Device device,
        bool channelsLast);

    /// Fills `batch` with the images at `indices`, reusing its memory where it fits.
    void make(const std::vector<std::int64_t>& indices, Batch& batch);

private:
    void makeOnCpu(const std::vector<std::int64_t>& indices, Batch& batch);
    void makeOnDevice(const std::vector<std::int64_t>& indices, Batch& batch);

    const ImageSet& m_set;
    Normalisation m_normalisation;
    at::Device m_device;
    bool m_channelsLast;
    std::vector<float> m_table;
    at::Tensor m_deviceImages; ///< bytes
    at::Tensor m_deviceLabels;
};

/// The order of the training images: each epoch a permutation drawn by randperm from a generator of
/// its own, seeded with the run's seed (without shuffling: the file's order). Depends on nothing
/// else, so that all variants of a comparison see the same batches. The rest of an epoch that does
/// not fill a batch is left out.
class TrainingOrder {
public:
    TrainingOrder(std::int64_t count, std::int64_t batchSize, bool shuffle, std::uint64_t seed);

    /// The next batch's indices; valid until the next call.
    const std::vector<std::int64_t>& next();
    std::int64_t batchesPerEpoch() const { return m_count / m_batchSize; }
    std::int64_t epoch() const { return m_epoch; } ///< 1-based; 0 before the first batch

private:
    void beginEpoch();

    std::int64_t m_count;
    std::int64_t m_batchSize;
    bool m_shuffle;
    at::Generator m_generator;
    std::vector<std::int64_t> m_order;
    std::vector<std::int64_t> m_batch;
    std::int64_t m_position = 0;
    std::int64_t m_epoch = 0;
};

} // namespace mantissa
