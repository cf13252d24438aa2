// SPDX-License-Identifier: GPL-3.0-or-later
// PyTorch's own autocast tests, said again in C++ where a CPU can run them, and reports of people
// for whom autocast went wrong (caseN: see resources/docs/cases.md).
#include "core/config/words.h"
#include "core/engine/autocast_guard.h"
#include "core/engine/cast_count.h"
#include "core/engine/in_place_watch.h"
#include "core/engine/layers.h"
#include "core/engine/model.h"
#include "tests/support/test_program.h"

#include <ATen/ATen.h>
#include <ATen/ThreadLocalState.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <QTest>
#include <functional>
#include <thread>

using namespace mantissa;
using at::Tensor;
namespace autocast = at::autocast;

namespace {

using Types = std::vector<at::ScalarType>;
const Types kLowTypes{at::kBFloat16, at::kHalf};

Tensor leaf(at::IntArrayRef sizes)
{
    return at::randn(sizes).set_requires_grad(true);
}

std::string errorOf(const std::function<void()>& call)
{
    try {
        call();
    } catch (const c10::Error& error) {
        return error.what_without_backtrace();
    } catch (const std::exception& error) {
        return error.what();
    }
    return {};
}

/// Adds its fp32 parameter in place to what a layer gave it.
class ResidualInPlace : public Module {
public:
    ResidualInPlace()
        : shift(at::ones({4}))
        , m_fc(add<Linear>("fc", 4, 4))
    {
        registerParameter("shift", shift);
    }
    Tensor shift;

protected:
    Tensor forward(const Tensor& input) override { return m_fc(input).add_(shift); }

private:
    Linear& m_fc;
};

class Holder : public Module {
public:
    Holder()
        : m_block(add<ResidualInPlace>("block"))
    {
    }

protected:
    Tensor forward(const Tensor& input) override { return m_block(input); }

private:
    ResidualInPlace& m_block;
};

DataShape imagesShape()
{
    DataShape shape;
    shape.channels = 3;
    shape.height = 32;
    shape.width = 32;
    shape.classes = 4;
    return shape;
}

DataShape textShape()
{
    DataShape shape;
    shape.target = TargetKind::NextToken;
    shape.classes = 11;
    shape.sequence = 6;
    return shape;
}

} // namespace

class TestAutocastCatalogue : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { at::manual_seed(5); }

    // (a) What an operator of a list gives is, to the bit, what casting by hand gives.

    void theLowListIsCastingByHand()
    {
        const auto x = at::randn({3, 4});
        const auto w = at::randn({4, 4});
        const auto image = at::randn({1, 2, 5, 5});
        const auto kernel = at::randn({3, 2, 3, 3});
        const auto batch = at::randn({2, 3, 3});
        using Call = std::function<Tensor(const std::function<Tensor(const Tensor&)>&)>;
        const std::vector<Call> calls{
            [&](const auto& c) { return at::linear(c(x), c(w)); },
            [&](const auto& c) { return at::mm(c(x), c(w)); },
            [&](const auto& c) { return at::matmul(c(x), c(w)); },
            [&](const auto& c) { return at::addmm(c(x), c(x), c(w)); },
            [&](const auto& c) { return at::bmm(c(batch), c(batch)); },
            [&](const auto& c) { return at::conv2d(c(image), c(kernel)); },
            [&](const auto& c) { return at::prelu(c(x), c(w.select(0, 0).slice(0, 0, 1))); },
        };
        for (const auto type : kLowTypes) {
            for (const auto& call : calls) {
                const auto byHand = call([type](const Tensor& t) { return t.to(type); });
                const AutocastGuard region(at::kCPU, type);
                const auto here = call([](const Tensor& t) { return t; });
                QVERIFY(here.scalar_type() == type);
                QVERIFY(at::equal(here, byHand));
            }
        }
    }

    void theFp32ListIsCastingByHand()
    {
        for (const auto type : kLowTypes) {
            const auto x = at::randn({3, 4}).to(type);
            const auto y = at::randn({3, 4}).to(type);
            const auto classes = at::zeros({3}, at::kLong);
            const auto byHand = at::mse_loss(x.to(at::kFloat), y.to(at::kFloat));
            const auto entropy = at::cross_entropy_loss(x.to(at::kFloat), classes);
            const auto product = at::prod(x.to(at::kFloat));
            const AutocastGuard region(at::kCPU, type);
            QVERIFY(at::equal(at::mse_loss(x, y), byHand));
            QVERIFY(at::equal(at::cross_entropy_loss(x, classes), entropy));
            QVERIFY(at::equal(at::prod(x), product));
        }
    }

    void thePromoteListTakesTheWidest()
    {
        for (const auto type : kLowTypes) {
            const auto low = at::randn({2, 2}).to(type);
            const AutocastGuard region(at::kCPU, type);
            QVERIFY(at::cat({low, at::randn({2, 2})}).scalar_type() == at::kFloat);
            QVERIFY(at::cat({low, low}).scalar_type() == type);
            QVERIFY(at::stack({at::randn({2, 2}), low}).scalar_type() == at::kFloat);
        }
    }

    // (b) CUDA's kernel for the banned operator throws before it looks at a tensor.
    void case49_theBannedLossSaysWhatToUse()
    {
        const auto probability = at::full({3}, 0.5F);
        const auto target = at::ones({3});
        const auto handle =
            c10::Dispatcher::singleton().findSchemaOrThrow("aten::binary_cross_entropy", "");
        const auto error = errorOf([&] {
            torch::jit::Stack stack{probability, target, c10::IValue(), 1};
            handle.callBoxedForDispatchKey(c10::DispatchKey::AutocastCUDA, stack);
        });
        QVERIFY2(
            error.find("binary_cross_entropy_with_logits") != std::string::npos, error.c_str());
        // On the CPU it is on the fp32 list.
        const AutocastGuard region(at::kCPU, at::kBFloat16);
        const auto loss = at::binary_cross_entropy(probability.to(at::kBFloat16), target);
        QVERIFY(loss.scalar_type() == at::kFloat);
        QVERIFY(std::abs(loss.item<double>() - std::log(2.0)) < 1e-6);
    }

    // (c)
    void doublesAndIntegersAreNeverCast()
    {
        const auto wide = at::randn({2, 2}, at::kDouble);
        const auto integers = at::ones({2, 2}, at::kInt);
        const AutocastGuard region(at::kCPU, at::kHalf);
        QVERIFY(at::mm(wide, wide).scalar_type() == at::kDouble);
        QVERIFY(at::mm(integers, integers).scalar_type() == at::kInt);
        const auto error = errorOf([&] { at::mm(wide, wide.to(at::kHalf)); });
        QVERIFY2(error.find("same dtype") != std::string::npos, error.c_str());
    }

    // (f)
    void castsDieWithTheRegion()
    {
        const Linear layer(10, 10);
        Tensor cast;
        {
            const AutocastGuard region(at::kCPU, at::kBFloat16);
            const at::NoGradGuard noGrad;
            cast = autocast::cached_cast(at::kBFloat16, layer.weight, at::kCPU);
            QCOMPARE(cast.use_count(), std::size_t{2}); // ours and the cache's
        }
        QCOMPARE(cast.use_count(), std::size_t{1});
    }

    // (h)
    void case57_theCacheFlagShowsInTheNumberOfCasts()
    {
        Linear layer(4, 4);
        const auto casts = [&layer](bool cache) {
            const CastCount count;
            const AutocastGuard region(at::kCPU, at::kBFloat16, cache);
            layer(layer(at::ones({2, 4})));
            return count.value();
        };
        // The input, and weight and bias once, or at each of the two calls.
        QCOMPARE(casts(true), 3L);
        QCOMPARE(casts(false), 5L);
    }

    void aWeightIsCastOnceForForwardAndAnEnabledBackward()
    {
        const auto a = leaf({4, 4});
        const auto casts = [&a](bool cache) {
            const CastCount count;
            const AutocastGuard region(at::kCPU, at::kBFloat16, cache);
            const auto x = at::randn({4, 4}).to(at::kBFloat16);
            const auto before = count.value();
            at::mm(x, a).sum();
            at::mm(x, a).sum();
            return count.value() - before;
        };
        QCOMPARE(casts(true), 1L);
        QCOMPARE(casts(false), 2L);
    }

    // (i)
    void case54_indexedWritesInARegionHaveGradients()
    {
        const auto weight = leaf({4, 4});
        Tensor written;
        {
            const AutocastGuard region(at::kCPU, at::kBFloat16);
            const auto values = at::linear(at::ones({2, 4}), weight);
            const auto target = at::zeros({3, 4}, at::kBFloat16);
            c10::List<std::optional<Tensor>> rows;
            rows.push_back(at::tensor({0, 2}, at::kLong));
            written = at::index_put(target, rows, values);
        }
        written.sum().backward();
        QVERIFY(weight.grad().scalar_type() == at::kFloat);
        QVERIFY(at::equal(weight.grad(), at::full({4, 4}, 2.0F)));
    }

    /// CUDA promotes both; the CPU has no rule and refuses in words.
    void case53_indexedWritesOfAnotherType()
    {
        const auto values = at::ones({2, 3}).to(at::kHalf);
        const auto index = at::zeros({2, 3}, at::kLong);
        const AutocastGuard region(at::kCPU, at::kHalf);
        const auto error = errorOf([&] { at::scatter_add(at::zeros({2, 3}), 0, index, values); });
        QVERIFY2(error.find("dtype") != std::string::npos, error.c_str());
        const auto promoted = at::scatter_add(at::zeros({2, 3}), 0, index, values.to(at::kFloat));
        QCOMPARE(promoted.sum().item<float>(), 6.0F);
    }

    // (j)
    void case55_aCastMadeWithoutAGraphDoesNotCutTheGradient()
    {
        Linear layer(4, 2);
        const AutocastGuard region(at::kCPU, at::kBFloat16);
        {
            const at::NoGradGuard noGrad;
            layer(at::ones({1, 4}));
        }
        const auto output = layer(at::ones({1, 4}));
        QVERIFY(output.requires_grad());
        output.sum().backward();
        QVERIFY(at::equal(layer.weight.grad(), at::ones({2, 4})));
    }

    void case51_aNewThreadHasNoRegionUntilItMakesOne()
    {
        Linear layer(4, 4);
        const AutocastGuard region(at::kCPU, at::kBFloat16);
        at::ScalarType without = at::kLong;
        at::ScalarType with = at::kLong;
        at::ScalarType carried = at::kLong;
        const auto type = [&layer] { return layer(at::ones({2, 4})).scalar_type(); };
        const at::ThreadLocalState state;
        std::thread([&] {
            without = type();
            {
                const AutocastGuard own(at::kCPU, at::kHalf);
                with = type();
            }
            const at::ThreadLocalStateGuard parents(state);
            carried = type();
        }).join();
        QVERIFY(without == at::kFloat);
        QVERIFY(with == at::kHalf);
        QVERIFY(carried == at::kBFloat16);
    }

    /// In a region a loss of low-precision predictions is fp32; outside it is not.
    void case60_theLossBelongsIntoTheRegion()
    {
        const Model model(std::make_unique<Linear>(4, 3), TargetKind::Class);
        const auto x = at::randn({5, 4});
        const auto classes = at::zeros({5}, at::kLong);
        Tensor prediction;
        {
            const AutocastGuard region(at::kCPU, at::kBFloat16);
            prediction = model(x);
            QVERIFY(model.loss(prediction, classes).scalar_type() == at::kFloat);
        }
        QVERIFY(prediction.scalar_type() == at::kBFloat16);
        QVERIFY(model.loss(prediction, classes).scalar_type() == at::kBFloat16);
    }

    // In-place operators have no rule.

    void anInPlaceOperatorThatRoundsIsFoundAndItsModuleNamed()
    {
        Holder holder;
        const InPlaceWatch watch(holder);
        {
            const AutocastGuard region(at::kCPU, at::kBFloat16);
            QVERIFY(holder(at::ones({2, 4})).scalar_type() == at::kBFloat16);
        }
        QCOMPARE(watch.findings().size(), std::size_t{1});
        const auto& found = watch.findings().front();
        QCOMPARE(found.module, std::string("block"));
        QCOMPARE(found.operation, std::string("aten::add_"));
        QVERIFY(found.self == at::kBFloat16 && found.other == at::kFloat);
        holder(at::ones({2, 4})); // outside a region all is fp32
        QCOMPARE(watch.findings().size(), std::size_t{1});
    }

    void noShippedModelRoundsInPlace_data()
    {
        QTest::addColumn<int>("kind");
        for (const auto word : allWords<ModelKind>())
            QTest::newRow(std::string(word).c_str()) << int(*fromWord<ModelKind>(word));
    }

    void noShippedModelRoundsInPlace()
    {
        QFETCH(int, kind);
        ModelConfig config;
        config.kind = static_cast<ModelKind>(kind);
        config.hidden = {8};
        const bool images = !misfit(config, imagesShape());
        const auto shape = images ? imagesShape() : textShape();
        const auto model = makeModel(config, shape);
        QVERIFY2(model.has_value(), model ? "" : model.error().message.c_str());
        const auto input = images ? at::randn({2, 3, 32, 32})
                                  : at::randint(shape.classes, {2, shape.sequence}, at::kLong);
        const InPlaceWatch watch((*model)->root());
        {
            const AutocastGuard region(at::kCPU, at::kBFloat16);
            (**model)(input);
        }
        for (const auto& found : watch.findings())
            QFAIL((found.module + ": " + found.operation).c_str());
    }
};

MANTISSA_TEST(TestAutocastCatalogue)
#include "tst_autocast_catalogue.moc"
