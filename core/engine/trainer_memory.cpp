// SPDX-License-Identifier: GPL-3.0-or-later
// What a Trainer's memory is for.
#include "core/engine/autocast_guard.h"
#include "core/engine/trainer_private.h"

#include <ATen/ATen.h>
#include <algorithm>
#include <functional>

namespace mantissa {

namespace {

double bytesOf(const at::Tensor& tensor)
{
    return tensor.defined() ? static_cast<double>(tensor.nbytes()) : 0.0;
}

double bytesOf(const std::vector<NamedTensor>& tensors)
{
    double sum = 0;
    for (const auto& named : tensors)
        sum += bytesOf(named.tensor);
    return sum;
}

/// Copies of fp32 an optimizer keeps of each parameter, by its definition.
double optimizerCopies(const TrainConfig& config)
{
    switch (config.optimizer) {
    case OptimizerKind::Adam:
    case OptimizerKind::AdamW:
        return 2;
    case OptimizerKind::RmsProp:
        return config.momentum > 0 ? 2 : 1;
    case OptimizerKind::Sgd:
        break;
    }
    return config.momentum > 0 ? 1 : 0;
}

} // namespace

/// Forward passes of a supervised model, watched for what they hold.
class Trainer::Private::ForwardWatch {
public:
    explicit ForwardWatch(Private& d)
        : m_d(d)
        , m_type(autocastType(d.variant.precision))
    {
    }

    /// What autocast's cache holds after a pass: without a graph nothing else stays.
    double castCache()
    {
        const at::NoGradGuard noGrad;
        return held(m_d.m_batches.front().input, {});
    }

    /// What a pass keeps for backward, the cache not counted. `share` of the batch is passed.
    double activations(std::int64_t samples, double cache)
    {
        const auto& batch = m_d.m_batches.front();
        return std::max(0.0,
            held(batch.input.narrow(0, 0, samples), batch.target.narrow(0, 0, samples)) - cache);
    }

private:
    double held(const at::Tensor& input, const at::Tensor& target)
    {
        const double before = m_d.bytesNow();
        std::optional<AutocastGuard> region;
        if (m_type)
            region.emplace(m_d.device.type(), *m_type, m_d.variant.settings.autocast.cache);
        at::Tensor loss;
        if (target.defined())
            loss = m_d.model->loss((*m_d.model)(input), target);
        else
            (*m_d.model)(input);
        return m_d.bytesNow() - before;
    }

    Private& m_d;
    std::optional<at::ScalarType> m_type;
};

double Trainer::Private::bytesNow() const
{
    if (device.is_cpu())
        return static_cast<double>(meter.bytes());
    cuda::MemoryFigures figures{};
    return cudaApi->memory(device.index(), &figures) == cuda::kCudaOk
        ? static_cast<double>(figures.allocated)
        : 0.0;
}

MemoryBreakdown Trainer::Private::memoryByRole()
{
    MemoryBreakdown memory;
    const auto parameters = model->parameters();
    const double weights = bytesOf(parameters);
    const double buffers = bytesOf(model->root().buffers());
    memory.measured.weights = weights + buffers;
    for (const auto& parameter : parameters)
        memory.measured.gradients += bytesOf(parameter.tensor.grad());
    for (const auto& optimizer : optimizers)
        memory.measured.optimizer += bytesOf(optimizer->state());
    memory.predicted.weights = weights + buffers;
    memory.predicted.gradients = weights;
    memory.predicted.optimizer = weights * optimizerCopies(variant.settings.train);
    if (optimizers.size() > 1 || m_batches.empty())
        return memory; // a contest's passes are not one model's
    ForwardWatch watch(*this);
    const bool casts = autocastType(variant.precision) && variant.settings.autocast.cache;
    memory.measured.castCache = casts ? watch.castCache() : 0;
    memory.predicted.castCache = casts ? weights / 2 : 0;
    const auto samples = m_batches.front().target.size(0);
    memory.measured.activations = watch.activations(samples, memory.measured.castCache);
    const auto few = std::max<std::int64_t>(1, samples / 8);
    memory.predicted.activations = watch.activations(few, memory.measured.castCache)
        * static_cast<double>(samples) / static_cast<double>(few);
    return memory;
}

} // namespace mantissa
