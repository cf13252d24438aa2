// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/batch_source.h"
#include "core/engine/dataset.h"

#include <memory>

namespace mantissa {

/// Random changes of training images, drawn for each sample of each epoch from the seed alone.
struct Augmentation {
    std::uint64_t seed = 0;
    std::int64_t padCrop = 0; ///< pixels of black around the image, from which it is cut at random
    bool flip = false; ///< left and right changed in half of the samples

    bool isOff() const { return padCrop == 0 && !flip; }
};

/// Makes batches of one part of a data set, in the CPU's memory.
class SampleMaker {
public:
    virtual ~SampleMaker();
    virtual std::int64_t count() const = 0; ///< samples
    /// Tensors for `samples` samples; pinned memory copies to a CUDA device without waiting.
    virtual Batch allocate(std::int64_t samples, bool pinned) const = 0;
    /// Fills an allocated batch with the samples at `indices` in `epoch`. Allocates nothing and
    /// changes nothing else: any thread.
    virtual void fill(
        const std::vector<std::int64_t>& indices, std::int64_t epoch, const Batch& batch) const = 0;
};

enum class DataPart { Train, Validation };

/// `data` must outlive the maker. Only the training part is augmented.
std::unique_ptr<SampleMaker> makeSampleMaker(
    const Dataset& data, DataPart part, const DataConfig& config, std::uint64_t seed);

/// Images as fp32 through a table of 256 normalised values per channel.
class ImageMaker : public SampleMaker {
public:
    ImageMaker(const ImageSet& set, const Normalisation& normalisation,
        const Augmentation& augmentation = {});
    std::int64_t count() const override { return m_set.count; }
    Batch allocate(std::int64_t samples, bool pinned) const override;
    void fill(const std::vector<std::int64_t>& indices, std::int64_t epoch,
        const Batch& batch) const override;

private:
    void fillImage(std::int64_t index, std::int64_t epoch, float* values) const;

    const ImageSet& m_set;
    Augmentation m_augmentation;
    std::vector<float> m_table; ///< channels x 256
};

} // namespace mantissa
