// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/sample_maker.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace mantissa {

/// A batch on a device, 4-d input in channels-last order where asked for; pinned memory is copied
/// without waiting.
Batch onDevice(const Batch& batch, at::Device device, bool channelsLast);

/// Hands out the training batches in their order, on the device. With `prefetch` a thread of its
/// own fills the batches of coming steps meanwhile, unless filling one takes less time than handing
/// it over; the numbers are the same with and without, and the position counts what was handed out,
/// not what was filled ahead. next() and seek() on one
/// thread, the training thread, which also owns every tensor.
class BatchLoader {
public:
    struct Options {
        at::Device device = at::kCPU;
        bool channelsLast = false; ///< 4-d input is handed out so
        std::int64_t batchSize = 1; ///< samples
        std::int64_t microBatches = 1; ///< handed out by one next()
        std::int64_t prefetch = 0; ///< steps filled ahead; 0 = none, no thread
        std::chrono::microseconds threadFrom{100}; ///< to fill a step: less needs no thread
    };

    /// `maker` must outlive the loader. `order` begins at its first batch.
    BatchLoader(const SampleMaker& maker, TrainingOrder order, const Options& options);
    ~BatchLoader();
    BatchLoader(const BatchLoader&) = delete;
    BatchLoader& operator=(const BatchLoader&) = delete;

    /// The micro-batches of the next step; on the CPU they are valid until the following call.
    void next(std::vector<Batch>& batches);
    /// Bytes that batches made ahead will take once there is reason to make them (filling takes
    /// long enough, as far as is known) and that they do not take yet. After next().
    double bytesStillToCome() const;
    /// Micro-batches handed out since the start of the run; and as if so many had been.
    std::int64_t position() const { return m_position; }
    void seek(std::int64_t position);

    /// The micro-batches of a step once more, of those handed out from `position` on, made anew.
    std::vector<Batch> again(std::int64_t position) const;

    std::int64_t batchesPerEpoch() const { return m_order.batchesPerEpoch(); }

private:
    using Step = std::vector<Batch>; ///< in the CPU's memory

    Step allocate() const;
    void fill(Step& step, TrainingOrder& order) const;
    void fillHere(Step& step);
    bool fillsAhead() const;
    Step take();
    void run();
    void start();
    void stop();

    const SampleMaker& m_maker;
    TrainingOrder m_order; ///< the thread's while it runs
    const Options m_options;
    std::int64_t m_position = 0;
    Step m_handedOut;
    int m_timed = 0; ///< steps that this thread has filled to see how long it takes
    std::chrono::steady_clock::duration m_quickest = std::chrono::steady_clock::duration::max();

    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<Step> m_empty;
    std::deque<Step> m_full;
    bool m_stopping = false;
    std::thread m_thread;
};

} // namespace mantissa
