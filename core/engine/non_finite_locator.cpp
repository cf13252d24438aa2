// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/non_finite_locator.h"

#include "core/engine/generator_keeper.h"
#include "core/engine/non_finite_recorder.h"
#include "core/numerics/number_format.h"

#include <ATen/ATen.h>

namespace mantissa {

namespace {

c10::Device deviceOf(const std::vector<NamedTensor>& parameters)
{
    return parameters.empty() ? c10::Device(at::kCPU) : parameters.front().tensor.device();
}

/// What a replay changes, kept and put back.
class Keeper {
public:
    Keeper(Module& root, const std::vector<NamedTensor>& parameters)
        : m_root(root)
        , m_parameters(parameters)
        , m_buffers(root.buffers())
        , m_generators(deviceOf(parameters))
    {
        for (const auto& buffer : m_buffers)
            m_bufferValues.push_back(buffer.tensor.clone());
        for (const auto& parameter : m_parameters)
            m_gradients.push_back(parameter.tensor.grad());
        dropGradients();
    }
    ~Keeper()
    {
        m_root.setObserver(nullptr);
        restore();
        for (std::size_t i = 0; i < m_parameters.size(); ++i)
            m_parameters[i].tensor.mutable_grad() = m_gradients[i];
    }
    Keeper(const Keeper&) = delete;
    Keeper& operator=(const Keeper&) = delete;

    /// Buffers and generators as before; between two passes.
    void restore()
    {
        const at::NoGradGuard noGrad;
        for (std::size_t i = 0; i < m_buffers.size(); ++i)
            m_buffers[i].tensor.copy_(m_bufferValues[i]);
        m_generators.restore();
        dropGradients();
    }

private:
    void dropGradients()
    {
        for (const auto& parameter : m_parameters)
            parameter.tensor.mutable_grad().reset();
    }

    Module& m_root;
    const std::vector<NamedTensor>& m_parameters;
    std::vector<NamedTensor> m_buffers;
    std::vector<at::Tensor> m_bufferValues;
    std::vector<at::Tensor> m_gradients;
    GeneratorKeeper m_generators;
};

struct PassResult {
    std::optional<NonFiniteTensor> first;
    std::int64_t microBatch = 1;
    std::optional<double> watchedLargest;
};

/// One replay of the micro-batches from `begin` to before `end`.
struct Pass {
    bool low = false;
    double scale = 1;
    std::optional<NonFiniteTensor> watched; ///< goes on to this place, whatever it meets before
    std::int64_t begin = 0;
    std::int64_t end = 1;
};

PassResult run(const Replay& replay, const std::vector<NamedTensor>& parameters, const Pass& pass)
{
    NonFiniteRecorder recorder(parameters, pass.watched);
    replay.root->setObserver(&recorder);
    const auto done = [&] { return recorder.first() && !pass.watched; };
    for (auto i = pass.begin; i < pass.end && !done(); ++i) {
        recorder.setMicroBatch(i + 1);
        const auto loss = replay.loss(i, pass.low);
        recorder.look(TensorPlace::Loss, loss);
        const auto scaled = loss * at::full({}, pass.scale, loss.options().dtype(at::kFloat));
        recorder.look(TensorPlace::ScaledLoss, scaled);
        if (!done())
            scaled.backward();
    }
    recorder.lookAtGradientSums();
    replay.root->setObserver(nullptr);
    return {recorder.first(), recorder.microBatchOfFirst(), recorder.watchedLargest()};
}

std::optional<Precision> precisionOf(const Replay& replay)
{
    if (!replay.lowType)
        return std::nullopt;
    return *replay.lowType == at::kHalf ? Precision::Fp16 : Precision::Bf16;
}

/// The parameter of its own module that made `first` overflow, where one is the reason by itself.
std::optional<OverflowingParameter> overflowingOf(
    const Replay& replay, const std::vector<NamedTensor>& parameters, const NonFiniteTensor& first)
{
    // A module kept in fp32 has its parameters as they are.
    if (!replay.lowType || first.place != TensorPlace::Output
        || first.type != c10::toString(*replay.lowType))
        return std::nullopt;
    const auto prefix = first.module + ".";
    for (const auto& [name, tensor] : parameters) {
        const bool own =
            name.starts_with(prefix) && name.find('.', prefix.size()) == std::string::npos;
        if (own && !at::isfinite(tensor.detach().to(*replay.lowType)).all().item<bool>())
            return OverflowingParameter{name, tensor.detach().abs().max().item<double>()};
    }
    return std::nullopt;
}

NonFiniteCause causeOf(const Replay& replay, const NonFiniteTensor& first, const PassResult& fp32,
    const std::function<bool()>& finiteAtScaleOne)
{
    if (fp32.first)
        return NonFiniteCause::Intrinsic;
    if (first.place < TensorPlace::ScaledLoss) {
        const auto precision = precisionOf(replay);
        const bool over = precision && fp32.watchedLargest
            && *fp32.watchedLargest >= formatInfo(*precision).overflowFrom;
        return over ? NonFiniteCause::ForwardOverflow : NonFiniteCause::ForwardFormat;
    }
    // Without a narrow format the pass at scale 1 has just been finite.
    return !replay.lowType || finiteAtScaleOne() ? NonFiniteCause::ScaleOverflow
                                                 : NonFiniteCause::BackwardFormat;
}

} // namespace

NonFiniteFinding locateNonFinite(const Replay& replay)
{
    const auto parameters = replay.root->parameters();
    Keeper keeper(*replay.root, parameters);
    NonFiniteFinding finding;
    finding.scale = replay.scale;
    finding.precision = precisionOf(replay);
    finding.microBatches = replay.microBatches;
    Pass pass{replay.lowType.has_value(), replay.scale, std::nullopt, 0, replay.microBatches};
    const auto asTrained = run(replay, parameters, pass);
    if (!asTrained.first)
        return finding;
    finding.first = asTrained.first;
    finding.microBatch = asTrained.microBatch;
    if (asTrained.first->place != TensorPlace::GradientSum) {
        pass.begin = asTrained.microBatch - 1;
        pass.end = asTrained.microBatch;
    }
    keeper.restore();
    pass.low = false;
    pass.scale = 1;
    pass.watched = asTrained.first;
    const auto fp32 = run(replay, parameters, pass);
    finding.cause = causeOf(replay, *asTrained.first, fp32, [&] {
        keeper.restore();
        pass.low = true;
        pass.watched.reset();
        return !run(replay, parameters, pass).first;
    });
    if (finding.cause != NonFiniteCause::Intrinsic) {
        finding.largestInFp32 = fp32.watchedLargest;
        finding.overflowing = overflowingOf(replay, parameters, *asTrained.first);
    }
    return finding;
}

} // namespace mantissa
