// SPDX-License-Identifier: GPL-3.0-or-later
// What every network is made of: names, order, modes, observers, regions in fp32.
#include "core/engine/autocast_guard.h"
#include "core/engine/keep_fp32.h"
#include "core/engine/layers.h"
#include "core/engine/model.h"
#include "tests/support/test_program.h"

#include <ATen/ATen.h>
#include <QTest>

using namespace mantissa;

namespace {

class Pair : public Module {
public:
    Pair()
    {
        registerParameter("scale", m_scale);
        registerBuffer("mean", m_mean);
    }

    at::Tensor forward(const at::Tensor& input) override { return second(first(input)) * m_scale; }

    Linear& first = add<Linear>("first", 3, 2);
    Linear& second = add<Linear>("second", 2, 1);

private:
    at::Tensor m_scale = at::ones({1}).set_requires_grad(true);
    at::Tensor m_mean = at::zeros({3});
};

class Root : public Module {
public:
    at::Tensor forward(const at::Tensor& input) override { return pair(input); }
    Pair& pair = add<Pair>("pair");
};

class Log : public ModuleObserver {
public:
    void before(const Module& module, const at::Tensor&) override
    {
        calls.push_back("> " + module.path());
    }
    void after(const Module& module, const at::Tensor&, const at::Tensor& output) override
    {
        calls.push_back("< " + module.path() + ' ' + c10::toString(output.scalar_type()));
    }
    std::vector<std::string> calls;
};

std::vector<std::string> names(const std::vector<NamedTensor>& tensors)
{
    std::vector<std::string> names;
    for (const auto& tensor : tensors)
        names.push_back(tensor.name);
    return names;
}

} // namespace

class TestModule : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void namesAndOrderAreThoseOfPython()
    {
        Root root;
        // A module's own parameters come before those of its children, whenever they were made.
        QCOMPARE(names(root.parameters()),
            (std::vector<std::string>{"pair.scale", "pair.first.weight", "pair.first.bias",
                "pair.second.weight", "pair.second.bias"}));
        QCOMPARE(names(root.buffers()), std::vector<std::string>{"pair.mean"});
        QCOMPARE(root.path(), std::string());
        QCOMPARE(root.pair.second.path(), std::string("pair.second"));
        QCOMPARE(root.subtree().size(), std::size_t{4});
    }

    void anObserverSeesEveryCallChildrenWithinParents()
    {
        Root root;
        Log log;
        root.setObserver(&log);
        root(at::ones({1, 3}));
        QCOMPARE(log.calls,
            (std::vector<std::string>{"> ", "> pair", "> pair.first", "< pair.first Float",
                "> pair.second", "< pair.second Float", "< pair Float", "<  Float"}));
        root.setObserver(nullptr);
        root(at::ones({1, 3}));
        QCOMPARE(log.calls.size(), std::size_t{8});
    }

    void aModuleKeptInFp32RunsOutsideAutocast()
    {
        Root root;
        Log log;
        root.setObserver(&log);
        root.pair.second.setKeepFp32(true);
        const AutocastGuard region(at::kCPU, at::kBFloat16);
        root(at::ones({1, 3}));
        QCOMPARE(log.calls[3], std::string("< pair.first BFloat16"));
        QCOMPARE(log.calls[5], std::string("< pair.second Float"));
    }

    void modulesToKeepAreNamedByPath()
    {
        Root root;
        QVERIFY(keepInFp32(root, {"pair.second"}).has_value());
        QVERIFY(root.pair.second.keepsFp32());
        QVERIFY(!root.pair.first.keepsFp32() && !root.keepsFp32());
    }

    void aModuleThatIsNotThereIsRefusedWithTheNearest()
    {
        Root root;
        const auto kept = keepInFp32(root, {"pair.second", "pair.secnd"});
        QVERIFY(!kept.has_value());
        QCOMPARE(kept.error().message,
            std::string("model.keep_fp32 names \"pair.secnd\", which is no module of this model "
                        "(did you mean \"pair.second\"?); its modules: pair, pair.first, "
                        "pair.second"));
        QVERIFY(!root.pair.second.keepsFp32());
    }

    void modesReachTheWholeSubtree()
    {
        Root root;
        QVERIFY(root.pair.first.isTraining());
        root.setTraining(false);
        QVERIFY(!root.isTraining() && !root.pair.first.isTraining());
    }

    void movingKeepsTheTensorsIdentity()
    {
        Conv2d conv(2, 4, ConvShape{.padding = 1});
        const auto handle = conv.weight;
        conv.moveTo(at::kCPU, true);
        QVERIFY(handle.is_same(conv.parameters().front().tensor));
        QVERIFY(handle.is_contiguous(at::MemoryFormat::ChannelsLast));
        QVERIFY(handle.requires_grad());
    }

    void aKindThatDoesNotFitTheDataIsRefusedInWords()
    {
        DataShape text;
        text.target = TargetKind::NextToken;
        text.classes = 50;
        text.sequence = 16;
        ModelConfig config;
        for (const auto kind : {ModelKind::Mlp, ModelKind::Cnn}) {
            config.kind = kind;
            const auto made = makeModel(config, text);
            QVERIFY(!made.has_value());
            QVERIFY(made.error().message.find("needs images") != std::string::npos);
            QVERIFY(made.error().message.find("text") != std::string::npos);
        }
    }

    void aTableOfNumbersIsLearntAsValues()
    {
        DataShape table;
        table.target = TargetKind::Value;
        table.features = 3;
        ModelConfig config;
        config.hidden = {4};
        const auto model = makeModel(config, table);
        QVERIFY(model.has_value());
        QCOMPARE((*model)->metric(), std::string_view("rmse"));
        const auto prediction = at::tensor({1.0F, 2.0F}).unsqueeze(1);
        const auto target = at::tensor({4.0F, 6.0F});
        // (3^2 + 4^2) / 2
        QCOMPARE((*model)->loss(prediction, target).item<double>(), 12.5);
        const auto score = (*model)->score(prediction, target);
        QCOMPARE((*model)->metricOf(score.sum.item<double>(), 2), std::sqrt(12.5));
        QCOMPARE(score.nonFiniteRows.item<std::int64_t>(), std::int64_t{0});
        const auto nan = (*model)->score(at::full({2, 1}, NAN), target);
        QVERIFY(std::isnan((*model)->metricOf(nan.sum.item<double>(), 2)));
        QCOMPARE(nan.nonFiniteRows.item<std::int64_t>(), std::int64_t{2});
        QVERIFY(((**model)(at::ones({5, 3})).sizes() == at::IntArrayRef{5, 1}));
    }

    void theLossOfTokensIsTheMeanOverAllPositions()
    {
        const Model model(std::make_unique<Linear>(2, 2), TargetKind::NextToken);
        const auto even = at::zeros({2, 3, 4});
        const auto target = at::zeros({2, 3}, at::kLong);
        QVERIFY(std::abs(model.loss(even, target).item<double>() - std::log(4.0)) < 1e-6);
        const auto score = model.score(even, target);
        QCOMPARE(score.answers, std::int64_t{6});
        QCOMPARE(score.rows, std::int64_t{2});
        QCOMPARE(model.metricOf(score.sum.item<double>(), 6), 1.0);
        // One position of the second text: its answer is wrong, and one row of two is not finite.
        const auto bad =
            even.index_put({at::tensor(1), at::tensor(2), at::tensor(3)}, at::tensor(NAN));
        const auto worse = model.score(bad, target);
        QCOMPARE(worse.sum.item<double>(), 5.0);
        QCOMPARE(worse.nonFiniteRows.item<std::int64_t>(), std::int64_t{1});
    }

    /// argmax takes a NaN for the largest, the first of several: class 0 of a row of NaNs.
    void anAnswerOfNansIsWrong()
    {
        const Model model(std::make_unique<Linear>(2, 2), TargetKind::Class);
        constexpr float kInf = std::numeric_limits<float>::infinity();
        const auto prediction =
            at::tensor({NAN, NAN, kInf, 0.0F, 1.0F, NAN, 2.0F, 1.0F, 0.0F, -kInf}).reshape({5, 2});
        const auto score = model.score(prediction, at::zeros({5}, at::kLong));
        QCOMPARE(score.sum.item<double>(), 1.0);
        QCOMPARE(score.nonFiniteRows.item<std::int64_t>(), std::int64_t{4});
        QCOMPARE(score.rows, std::int64_t{5});
    }
};

MANTISSA_TEST(TestModule)
#include "tst_module.moc"
