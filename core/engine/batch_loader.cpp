// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/batch_loader.h"

#include <ATen/ATen.h>
#include <algorithm>
#include <csignal>
#include <utility>

namespace mantissa {

namespace {

/// Enough to see the cost of filling without the first ones' page faults.
constexpr int kTimedSteps = 8;

} // namespace

Batch onDevice(const Batch& batch, at::Device device, bool channelsLast)
{
    Batch moved = batch;
    if (!device.is_cpu()) {
        moved.input = batch.input.to(device, batch.input.scalar_type(), true);
        moved.target = batch.target.to(device, batch.target.scalar_type(), true);
    }
    if (channelsLast && moved.input.dim() == 4)
        moved.input = moved.input.contiguous(at::MemoryFormat::ChannelsLast);
    return moved;
}

BatchLoader::BatchLoader(const SampleMaker& maker, TrainingOrder order, const Options& options)
    : m_maker(maker)
    , m_order(std::move(order))
    , m_options(options)
{
}

BatchLoader::~BatchLoader()
{
    stop();
}

BatchLoader::Step BatchLoader::allocate() const
{
    Step step;
    for (std::int64_t i = 0; i < m_options.microBatches; ++i)
        step.push_back(m_maker.allocate(m_options.batchSize, m_options.device.is_cuda()));
    return step;
}

void BatchLoader::fill(Step& step, TrainingOrder& order) const
{
    for (auto& batch : step) {
        const auto& indices = order.next();
        m_maker.fill(indices, order.epoch(), batch);
    }
}

void BatchLoader::next(std::vector<Batch>& batches)
{
    auto step = take();
    m_position += m_options.microBatches;
    batches.clear();
    for (const auto& batch : step)
        batches.push_back(onDevice(batch, m_options.device, m_options.channelsLast));
    if (m_options.device.is_cpu())
        m_handedOut = std::move(step);
    // Else the copies may not have ended: LibTorch's allocator keeps their pinned memory until
    // then.
}

void BatchLoader::fillHere(Step& step)
{
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    fill(step, m_order);
    m_quickest = std::min(m_quickest, Clock::now() - begin);
    ++m_timed;
}

/// Waking a thread and sharing the memory between two cores costs some 10 us of each step.
bool BatchLoader::fillsAhead() const
{
    if (m_options.prefetch == 0)
        return false;
    return m_options.threadFrom.count() == 0
        || (m_timed >= kTimedSteps && m_quickest >= m_options.threadFrom);
}

double BatchLoader::bytesStillToCome() const
{
    if (m_options.prefetch == 0 || m_thread.joinable() || m_quickest < m_options.threadFrom)
        return 0;
    double bytes = 0;
    for (const auto& batch : m_handedOut)
        bytes += static_cast<double>(batch.input.nbytes() + batch.target.nbytes());
    return bytes * static_cast<double>(m_options.prefetch);
}

BatchLoader::Step BatchLoader::take()
{
    if (!fillsAhead()) {
        auto step = m_handedOut.empty() ? allocate() : std::exchange(m_handedOut, {});
        fillHere(step);
        return step;
    }
    if (!m_thread.joinable())
        start();
    auto empty = m_handedOut.empty() ? allocate() : std::exchange(m_handedOut, {});
    std::unique_lock lock(m_mutex);
    m_empty.push_back(std::move(empty));
    m_changed.notify_all();
    m_changed.wait(lock, [this] { return !m_full.empty(); });
    auto step = std::move(m_full.front());
    m_full.pop_front();
    return step;
}

void BatchLoader::start()
{
    for (std::int64_t i = 0; i < m_options.prefetch; ++i)
        m_empty.push_back(allocate());
    // Signals belong to the program's other threads.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    m_thread = std::thread([this] { run(); });
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void BatchLoader::run()
{
    std::unique_lock lock(m_mutex);
    while (true) {
        m_changed.wait(lock, [this] { return m_stopping || !m_empty.empty(); });
        if (m_stopping)
            return;
        auto step = std::move(m_empty.front());
        m_empty.pop_front();
        lock.unlock();
        fill(step, m_order);
        lock.lock();
        m_full.push_back(std::move(step));
        m_changed.notify_all();
    }
}

void BatchLoader::stop()
{
    if (!m_thread.joinable())
        return;
    {
        const std::lock_guard lock(m_mutex);
        m_stopping = true;
    }
    m_changed.notify_all();
    m_thread.join();
    m_stopping = false;
    m_empty.clear();
    m_full.clear();
}

std::vector<Batch> BatchLoader::again(std::int64_t position) const
{
    auto order = m_order.fresh();
    order.seek(position);
    auto step = allocate();
    fill(step, order);
    for (auto& batch : step)
        batch = onDevice(batch, m_options.device, m_options.channelsLast);
    return step;
}

void BatchLoader::seek(std::int64_t position)
{
    stop();
    m_order.seek(position);
    m_position = position;
}

} // namespace mantissa
