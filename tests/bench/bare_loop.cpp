// SPDX-License-Identifier: GPL-3.0-or-later
// The training loop that somebody writes with LibTorch and nothing else: an MLP with one hidden
// layer, cross-entropy, fused AdamW, one thread. It reads a number of steps a line and answers with
// the seconds they took. `bare_loop --start HIDDEN BATCH` prints the worker's start command for the
// same training instead.
#include "core/run/protocol.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

namespace {

constexpr std::int64_t kImages = 4000;
constexpr std::int64_t kFeatures = 28 * 28;
constexpr std::int64_t kClasses = 10;

void printStart(std::int64_t hidden, std::int64_t batch)
{
    using namespace mantissa;
    StartCommand start;
    start.variant.name = "fp32";
    auto& settings = start.variant.settings;
    settings.model.hidden = {hidden};
    settings.data.source = DataSource::Shapes;
    settings.data.trainLimit = kImages;
    settings.data.validationLimit = 10;
    settings.data.batchSize = batch;
    settings.train.steps = 10'000'000;
    settings.train.schedule = LrSchedule::Constant;
    settings.eval.every = 0;
    settings.device.kind = "cpu";
    settings.device.threads = 1;
    std::puts(encodeCommand(start).c_str());
}

class BareLoop {
public:
    BareLoop(std::int64_t hidden, std::int64_t batch)
        : m_batch(batch)
        , m_images(at::randn({kImages, kFeatures}))
        // Something to learn: with random labels units die, and their averages fade into denormal
        // numbers, which take several times as long.
        , m_labels(at::mm(m_images, at::randn({kFeatures, kClasses})).argmax(1))
    {
        for (const auto& sizes : {std::vector<std::int64_t>{hidden, kFeatures}, {hidden},
                 {kClasses, hidden}, {kClasses}}) {
            const double bound = 1 / std::sqrt(static_cast<double>(sizes.back()));
            m_parameters.push_back(at::empty(sizes).uniform_(-bound, bound).requires_grad_());
            m_averages.push_back(at::zeros(sizes));
            m_squares.push_back(at::zeros(sizes));
            m_steps.push_back(at::zeros({}));
        }
    }

    void step()
    {
        for (auto& parameter : m_parameters)
            parameter.mutable_grad().reset();
        const auto chosen = nextBatch();
        const auto images = m_images.index_select(0, chosen);
        const auto labels = m_labels.index_select(0, chosen);
        const auto hidden = at::relu(at::linear(images, m_parameters[0], m_parameters[1]));
        const auto logits = at::linear(hidden, m_parameters[2], m_parameters[3]);
        const auto loss = at::cross_entropy_loss(logits, labels);
        loss.backward();
        const at::NoGradGuard noGrad;
        std::vector<at::Tensor> gradients;
        for (std::size_t i = 0; i < m_parameters.size(); ++i) {
            gradients.push_back(m_parameters[i].grad());
            m_steps[i].add_(1);
        }
        at::_fused_adamw_(m_parameters, gradients, m_averages, m_squares, {}, m_steps, 1e-3, 0.9,
            0.999, 0.01, 1e-8, false, false);
        m_loss = loss.item<float>(); // anybody watches at least the loss
    }

private:
    at::Tensor nextBatch()
    {
        if (m_position + m_batch > kImages || !m_order.defined()) {
            m_order = at::randperm(kImages, at::kLong);
            m_position = 0;
        }
        const auto chosen = m_order.narrow(0, m_position, m_batch);
        m_position += m_batch;
        return chosen;
    }

    std::int64_t m_batch;
    std::int64_t m_position = 0;
    at::Tensor m_images, m_labels, m_order;
    std::vector<at::Tensor> m_parameters, m_averages, m_squares, m_steps;
    float m_loss = 0;
};

} // namespace

int main(int argc, char** argv)
{
    const bool start = argc == 4 && std::string_view(argv[1]) == "--start";
    if (argc != 3 && !start) {
        std::fputs("bare_loop [--start] HIDDEN BATCH\n", stderr);
        return 2;
    }
    const auto hidden = std::atol(argv[argc - 2]);
    const auto batch = std::atol(argv[argc - 1]);
    if (start) {
        printStart(hidden, batch);
        return 0;
    }
    at::set_num_threads(1);
    at::manual_seed(1);
    BareLoop loop(hidden, batch);
    long steps = 0;
    while (std::cin >> steps) {
        const auto begin = std::chrono::steady_clock::now();
        for (long i = 0; i < steps; ++i)
            loop.step();
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
        std::printf("%.9f\n", seconds.count());
        std::fflush(stdout);
    }
    std::_Exit(0); // LibTorch's own destructors are not needed
}
