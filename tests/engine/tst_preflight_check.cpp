// SPDX-License-Identifier: GPL-3.0-or-later
// What the check before the first step says about models that cannot train as they look.
#include "core/engine/preflight_check.h"

#include "core/engine/optimizer.h"
#include "tests/engine/non_finite_rig.h"
#include "tests/support/test_program.h"

#include <QTest>

using namespace mantissa;
using namespace mantissa::test;

namespace {

using Findings = std::vector<PreflightFinding>;

/// Two layers, each of 2 x 2, and a batch for them.
struct Rig {
    Rig()
    {
        net.linear("fc1", at::ones({2, 2}));
        net.linear("fc2", at::ones({2, 2}));
        subject.parameters = net.parameters();
        for (const auto& parameter : subject.parameters)
            subject.optimized.push_back(parameter.tensor);
        subject.batch.input = at::ones({1, 2});
        subject.loss = [this](const Batch& batch) { return net(batch.input).sum(); };
        subject.precision = Precision::Fp16;
        subject.usesScaler = true;
        subject.scale = 65536;
    }

    Chain net;
    PreflightSubject subject;
};

const PreflightFinding* find(const Findings& findings, const std::string& parameter)
{
    for (const auto& finding : findings) {
        if (finding.parameter == parameter)
            return &finding;
    }
    return nullptr;
}

} // namespace

class TestPreflightCheck : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aSoundModelHasNoFindings()
    {
        Rig rig;
        const auto findings = preflight(rig.subject);
        for (const auto& finding : findings)
            qInfo("%s", finding.text().c_str());
        QVERIFY(findings.empty());
        for (const auto& parameter : rig.subject.parameters)
            QVERIFY(!parameter.tensor.grad().defined());
    }

    void case20_anOptimizerOfTensorsThatWereReplaced()
    {
        Rig rig;
        // The optimizer was made, then the model moved to new tensors.
        for (auto& held : rig.subject.optimized)
            held = held.detach().clone().set_requires_grad(true);
        const auto findings = preflight(rig.subject);
        const auto* held = find(findings, "parameters");
        QVERIFY(held);
        QCOMPARE(held->value, std::string("4 tensors"));
        for (const char* name : {"fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias"}) {
            const auto* forgotten = find(findings, name);
            QVERIFY2(forgotten, name);
            QVERIFY(forgotten->remedy.find("after the model has been moved") != std::string::npos);
        }
    }

    void case21_everyParameterIsFrozen()
    {
        Rig rig;
        for (const auto& parameter : rig.subject.parameters)
            parameter.tensor.set_requires_grad(false);
        const auto findings = preflight(rig.subject);
        const auto* graph = find(findings, "graph");
        QVERIFY(graph);
        QVERIFY(graph->severity == PreflightFinding::Severity::Error);
        QCOMPARE(graph->value, std::string("no parameter takes a gradient"));
    }

    void case22_aLossMadeAnewHasNoPath()
    {
        Rig rig;
        const auto sound = rig.subject.loss;
        rig.subject.loss = [sound](const Batch& batch) {
            return at::tensor(sound(batch).item<float>()).set_requires_grad(true);
        };
        const auto findings = preflight(rig.subject);
        const auto* graph = find(findings, "graph");
        QVERIFY(graph);
        QCOMPARE(graph->value, std::string("no path to any parameter"));
    }

    void case26_parametersInFp16AreListedByName()
    {
        Rig rig;
        auto& weight = rig.subject.parameters[2].tensor;
        weight.set_data(weight.detach().to(at::kHalf));
        rig.subject.loss = [&rig](const Batch&) {
            return rig.subject.parameters[0].tensor.sum() + rig.subject.parameters[1].tensor.sum()
                + rig.subject.parameters[2].tensor.to(at::kFloat).sum()
                + rig.subject.parameters[3].tensor.sum();
        };
        auto findings = preflight(rig.subject);
        QCOMPARE(findings.size(), std::size_t{1});
        QCOMPARE(findings[0].parameter, std::string("fc2.weight"));
        QCOMPARE(findings[0].module, std::string("fc2"));
        QCOMPARE(findings[0].value, std::string("Half"));
        QVERIFY(findings[0].remedy.find("fp32") != std::string::npos);
        rig.subject.usesScaler = false;
        QVERIFY(preflight(rig.subject).empty());
    }

    /// An eps of 1e-8 is 0 in fp16; the fused kernels compute in fp32, so that 0 / 0 does not come
    /// up even for a gradient that has always been 0.
    void case91_adamsEpsSurvives()
    {
        QVERIFY(checkConstant("optimizer", "eps", 1e-8, Precision::Fp16));
        TrainConfig config;
        config.optimizer = OptimizerKind::AdamW;
        config.eps = 1e-8;
        config.weightDecay = 0;
        for (const auto type : {at::kFloat, at::kHalf}) {
            const auto weight =
                at::ones({4}, at::TensorOptions().dtype(type)).set_requires_grad(true);
            AdamW optimizer({weight}, config);
            optimizer.setLearningRate(0.1);
            weight.mutable_grad() = at::zeros_like(weight);
            optimizer.step();
            QVERIFY(at::equal(weight.detach(), at::ones_like(weight)));
        }
    }

    void aParameterTheLossDoesNotReach()
    {
        Rig rig;
        rig.subject.loss = [&rig](const Batch& batch) {
            return at::linear(batch.input, rig.subject.parameters[0].tensor).sum();
        };
        const auto findings = preflight(rig.subject);
        QCOMPARE(findings.size(), std::size_t{3});
        QVERIFY(find(findings, "fc2.weight") && find(findings, "fc1.bias"));
        QVERIFY(!find(findings, "fc1.weight"));
    }

    void inputsOf64Bits()
    {
        Rig rig;
        rig.subject.batch.input = rig.subject.batch.input.to(at::kDouble);
        rig.subject.loss = [&rig](const Batch& batch) {
            return rig.net(batch.input.to(at::kFloat)).sum();
        };
        const auto findings = preflight(rig.subject);
        QCOMPARE(findings.size(), std::size_t{1});
        QCOMPARE(findings[0].value, std::string("Double"));
    }

    void aLossInFp16AndAScaleOver32768()
    {
        Rig rig;
        rig.subject.loss = [&rig](const Batch& batch) {
            return rig.net(batch.input).to(at::kHalf).sum();
        };
        QVERIFY(find(preflight(rig.subject), "scale"));
        rig.subject.scale = 32768;
        QVERIFY(preflight(rig.subject).empty());
    }

    void aThresholdNoGradientReaches()
    {
        Rig rig;
        // 12 values of at most 65504 / 65536 each: a norm of at most 3.46.
        rig.subject.clipNorm = 3.4;
        QVERIFY(preflight(rig.subject).empty());
        rig.subject.clipNorm = 3.5;
        QVERIFY(find(preflight(rig.subject), "train.clip_norm"));
    }

    void drawsNoNumbersOfTheRun()
    {
        Rig rig;
        at::manual_seed(3);
        const auto expected = at::rand({2});
        at::manual_seed(3);
        const auto plain = rig.subject.loss;
        rig.subject.loss = [plain](const Batch& batch) {
            (void)at::rand({5});
            return plain(batch);
        };
        (void)preflight(rig.subject);
        QVERIFY(at::equal(at::rand({2}), expected));
    }
};

MANTISSA_TEST(TestPreflightCheck)
#include "tst_preflight_check.moc"
