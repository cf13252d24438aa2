// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/step_profile.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

using namespace mantissa;

namespace {

using Shape = std::vector<std::int64_t>;

CallArgument tensor(const std::string& dtype, const Shape& shape)
{
    return {{{dtype, shape}}, {}};
}

CallArgument integers(const Shape& values)
{
    return {{}, values};
}

ProfiledCall call(const std::string& name, std::int64_t startUs, std::int64_t endUs,
    std::vector<CallArgument> arguments = {}, std::vector<ProfiledCall> children = {})
{
    return {name, startUs * 1000, endUs * 1000, 0, std::move(arguments), std::move(children)};
}

/// A copy from fp32 to bf16 as autocast makes it: to > _to_copy > copy_.
ProfiledCall cast(std::int64_t startUs, std::int64_t endUs, const Shape& shape)
{
    return call("to", startUs, endUs, {tensor("fp32", shape)},
        {call("_to_copy", startUs + 1, endUs, {tensor("fp32", shape)},
            {call("empty_strided", startUs + 1, startUs + 2),
                call("copy_", startUs + 2, endUs,
                    {tensor("bf16", shape), tensor("fp32", shape)})})});
}

/// linear(64x784, 128x784) under bf16 autocast, 100 us: the outer record in fp32, two casts of
/// 20 us each, the inner record in bf16 with its product.
ProfiledCall autocastLinear()
{
    auto product = call("addmm", 50, 95,
        {tensor("bf16", {128}), tensor("bf16", {64, 784}), tensor("bf16", {784, 128})});
    auto inner = call("linear", 45, 98,
        {tensor("bf16", {64, 784}), tensor("bf16", {128, 784}), tensor("bf16", {128})},
        {call("t", 46, 48, {tensor("bf16", {128, 784})}), std::move(product)});
    return call("linear", 0, 100,
        {tensor("fp32", {64, 784}), tensor("fp32", {128, 784}), tensor("fp32", {128})},
        {cast(2, 22, {64, 784}), cast(22, 42, {128, 784}), std::move(inner)});
}

const OperatorRow* find(
    const StepProfile& profile, const std::string& name, const std::string& dtype)
{
    const auto found = std::ranges::find_if(profile.rows,
        [&](const OperatorRow& row) { return row.name == name && row.dtype == dtype; });
    return found == profile.rows.end() ? nullptr : &*found;
}

StepProfile linearProfile()
{
    return profileOf({call(kStepScope, 0, 200, {}, {autocastLinear()})}, false);
}

} // namespace

Q_DECLARE_METATYPE(ProfiledCall)

class TestStepProfile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Without counting once there would be two calls of linear, one of them in fp32.
    void countsAnOperatorUnderAutocastOnceWithItsRealType()
    {
        const auto profile = linearProfile();
        QVERIFY(!find(profile, "linear", "fp32"));
        const auto* linear = find(profile, "linear", "bf16");
        QVERIFY(linear);
        QCOMPARE(linear->calls, 1);
        // The outer record's own 7 us and the inner one's 6 us.
        QCOMPARE(linear->ms, 0.013);
        const auto* product = find(profile, "addmm", "bf16");
        QVERIFY(product);
        QCOMPARE(product->ms, 0.045);
        QCOMPARE(product->flops, 2.0 * 64 * 784 * 128);
    }

    void countsAProductOnceThoughItsWrapperHasShapesToo()
    {
        QCOMPARE(linearProfile().flops(), 2.0 * 64 * 784 * 128);
        QCOMPARE(treeFlops(autocastLinear()), 2.0 * 64 * 784 * 128);
    }

    // cases.md: the share of casts is what tells why many small operators get slower.
    void case66_showsTheShareOfCasts()
    {
        const auto profile = linearProfile();
        const auto* row = find(profile, "_to_copy", "fp32→bf16");
        QVERIFY(row);
        QVERIFY(row->kind == OperatorKind::Cast);
        QCOMPARE(row->calls, 2);
        QCOMPARE(row->ms, 0.040); // "to" in front of each is part of it
        QCOMPARE(row->bytes, (64.0 * 784 + 128.0 * 784) * (4 + 2));
        QCOMPARE(profile.share(OperatorKind::Cast), 0.2); // of a step of 200 us
        QCOMPARE(profile.calls(OperatorKind::Cast), 2.0);
    }

    void everyMicrosecondOfAnOperatorIsInOneRow() { QCOMPARE(linearProfile().operatorMs(), 0.1); }

    void divisionByStepsGivesOneStep()
    {
        auto first = call(kStepScope, 0, 200, {}, {autocastLinear()});
        auto second = first;
        const auto profile = profileOf({first, second}, false);
        QCOMPARE(profile.steps, 2);
        QCOMPARE(profile.windowMs, 0.4);
        QCOMPARE(profile.operatorMs(), 0.1);
        QCOMPARE(profile.flops(), 2.0 * 64 * 784 * 128);
        QCOMPARE(profile.share(OperatorKind::Cast), 0.2);
    }

    /// One step in which another program had the processor.
    void aStalledStepDoesNotCount()
    {
        std::vector<ProfiledCall> roots;
        for (int i = 0; i < 5; ++i)
            roots.push_back(call(kStepScope, 0, i == 2 ? 90000 : 20, {},
                {call("mul", 0, i == 2 ? 80000 : 10, {tensor("fp32", {8})})}));
        const auto profile = profileOf(roots, false);
        QCOMPARE(profile.operatorMs(), 0.010);
        QCOMPARE(profile.share(OperatorKind::Elementwise), 0.5);
        QCOMPARE(profile.rows.front().calls, 5);
    }

    /// Loading the next batch is no part of a step; backward on a thread of its own is.
    void takesWhatHappensDuringAStepAndNothingElse()
    {
        const std::vector<ProfiledCall> roots{
            call("add", 0, 5, {tensor("fp32", {8})}),
            call(kStepScope, 10, 100, {}, {call("mul", 20, 30, {tensor("fp32", {8})})}),
            call("mm", 50, 60, {tensor("fp16", {4, 8}), tensor("fp16", {8, 2})}),
            call("div", 95, 110, {tensor("fp32", {8})}),
        };
        const auto profile = profileOf(roots, false);
        QCOMPARE(profile.rows.size(), std::size_t{2});
        QVERIFY(find(profile, "mul", "fp32"));
        QVERIFY(find(profile, "mm", "fp16"));
    }

    void onAGpuTimeIsThatOfTheKernels()
    {
        auto product = call("mm", 10, 15, {tensor("fp16", {64, 64}), tensor("fp16", {64, 64})});
        product.deviceNs = 40000;
        auto profile = profileOf({call(kStepScope, 0, 100, {}, {product})}, true);
        profile.device = "cuda:0";
        profile.stepMs = 0.1;
        QCOMPARE(profile.rows.front().ms, 0.040);
        QCOMPARE(profile.rows.front().hostMs, 0.005);
        QCOMPARE(profile.launchShare(), 0.6); // the device had nothing to do for 60 of 100 us
    }

    void flopsFollowTheFormulas_data()
    {
        QTest::addColumn<ProfiledCall>("profiled");
        QTest::addColumn<double>("flops");
        const auto row = [](const char* title, const char* name,
                             std::vector<CallArgument> arguments, double flops) {
            QTest::newRow(title) << call(name, 0, 1, std::move(arguments)) << flops;
        };
        row("mm", "mm", {tensor("fp32", {3, 5}), tensor("fp32", {5, 7})}, 2.0 * 3 * 5 * 7);
        row("bmm", "bmm", {tensor("fp32", {2, 3, 5}), tensor("fp32", {2, 5, 7})},
            2.0 * 2 * 3 * 5 * 7);
        row("baddbmm", "baddbmm",
            {tensor("fp32", {2, 3, 7}), tensor("fp32", {2, 3, 5}), tensor("fp32", {2, 5, 7})},
            2.0 * 2 * 3 * 5 * 7);
        row("linear on three dimensions", "linear",
            {tensor("fp32", {2, 3, 5}), tensor("fp32", {7, 5})}, 2.0 * 2 * 3 * 5 * 7);
        // 10 x 10 pixels, kernel 3, padding 1, stride 2: 5 x 5 pixels.
        const auto image = tensor("fp32", {4, 3, 10, 10});
        const auto kernels = tensor("fp32", {8, 3, 3, 3});
        const auto none = CallArgument();
        row("convolution", "convolution",
            {image, kernels, none, integers({2, 2}), integers({1, 1}), integers({1, 1}),
                integers({0}), integers({0, 0}), integers({1})},
            2.0 * 4 * 8 * 5 * 5 * 3 * 3 * 3);
        row("grouped convolution", "convolution",
            {tensor("fp32", {4, 6, 10, 10}), tensor("fp32", {8, 3, 3, 3}), none, integers({1, 1}),
                integers({1, 1}), integers({1, 1}), integers({0}), integers({0, 0}), integers({2})},
            2.0 * 4 * 8 * 10 * 10 * 3 * 3 * 3);
        row("transposed convolution", "convolution",
            {image, tensor("fp32", {3, 8, 4, 4}), none, integers({2, 2}), integers({1, 1}),
                integers({1, 1}), integers({1}), integers({0, 0}), integers({1})},
            2.0 * 4 * 10 * 10 * 3 * 8 * 4 * 4);
        const auto backward = [&](const Shape& mask) {
            return std::vector<CallArgument>{tensor("fp32", {4, 8, 5, 5}), image, kernels,
                integers({8}), integers({2, 2}), integers({1, 1}), integers({1, 1}), integers({0}),
                integers({0, 0}), integers({1}), integers(mask)};
        };
        row("both gradients", "convolution_backward", backward({1, 1, 1}),
            2 * 2.0 * 4 * 8 * 5 * 5 * 3 * 3 * 3);
        row("first layer", "convolution_backward", backward({0, 1, 1}),
            2.0 * 4 * 8 * 5 * 5 * 3 * 3 * 3);
        // Two products of 6 x 9 by head size 4 for each of 2 x 3 heads; backward has five.
        const auto q = tensor("bf16", {2, 3, 6, 4});
        const auto k = tensor("bf16", {2, 3, 9, 4});
        row("attention", "_scaled_dot_product_flash_attention_for_cpu", {q, k, k},
            2 * 2.0 * 2 * 3 * 6 * 9 * 4);
        row("attention backward", "_scaled_dot_product_flash_attention_for_cpu_backward",
            {q, q, k, k}, 5 * 2.0 * 2 * 3 * 6 * 9 * 4);
        row("lstm layer", "mkldnn_rnn_layer",
            {tensor("fp32", {5, 2, 3}), tensor("fp32", {16, 3}), tensor("fp32", {16, 4})},
            2.0 * 5 * 2 * 16 * (3 + 4));
        row("elementwise", "add", {tensor("fp32", {8}), tensor("fp32", {8})}, 0.0);
    }
    void flopsFollowTheFormulas()
    {
        QFETCH(ProfiledCall, profiled);
        QTEST(flopsOf(profiled), "flops");
    }

    void bytesAreReadAndWrittenOnce()
    {
        QCOMPARE(bytesOf(call("mm", 0, 1, {tensor("bf16", {3, 5}), tensor("bf16", {5, 7})})),
            2.0 * (15 + 35 + 21));
        QCOMPARE(bytesOf(call("add", 0, 1, {tensor("fp32", {8, 4}), tensor("fp32", {4})})),
            4.0 * (32 + 4 + 32));
        QCOMPARE(bytesOf(call("add_", 0, 1, {tensor("fp32", {8}), tensor("fp32", {8})})), 4.0 * 16);
        QCOMPARE(bytesOf(call("t", 0, 1, {tensor("fp32", {8, 8})})), 0.0);
    }

    // cases.md: sizes that matrix units cannot fill.
    void case70_namesSizesThatAreNoMultipleOfEight()
    {
        const auto image = tensor("fp16", {128, 3, 224, 224});
        const auto kernels = tensor("fp16", {64, 3, 7, 7});
        const std::vector<ProfiledCall> roots{call(kStepScope, 0, 100, {},
            {call("convolution", 0, 60, {image, kernels}),
                call("mm", 60, 90, {tensor("fp16", {64, 512}), tensor("fp16", {512, 128})})})};
        const auto profile = profileOf(roots, false);
        QCOMPARE(profile.matrices.size(), std::size_t{2});
        const auto& first = profile.matrices[0];
        QCOMPARE(first.sizes, (Shape{3, 64}));
        QVERIFY(first.isOdd());
        QVERIFY(!profile.matrices[1].isOdd());
    }

    void kinds_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("kind");
        const char* const table[][2]{{"addmm", "matrix"}, {"convolution_backward", "matrix"},
            {"mkldnn_convolution", "matrix"}, {"lstm", "matrix"},
            {"_scaled_dot_product_flash_attention", "matrix"}, {"add", "elementwise"},
            {"relu", "elementwise"}, {"threshold_backward", "elementwise"},
            {"clamp_min", "elementwise"}, {"gelu_backward", "elementwise"},
            {"_log_softmax", "reduction"}, {"nll_loss_forward", "reduction"}, {"sum", "reduction"},
            {"native_layer_norm", "reduction"}, {"max_pool2d_with_indices", "reduction"},
            {"_foreach_norm", "reduction"}, {"_fused_adamw_", "optimizer"},
            {"_foreach_add_", "optimizer"}, {"_amp_update_scale_", "optimizer"},
            {"zero_", "movement"}, {"cat", "movement"}, {"empty_strided", "movement"},
            {"zeros_like", "movement"}, {"t", "view"}, {"transpose", "view"}, {"view", "view"},
            {"autograd::engine::evaluate_function: MulBackward0", "other"},
            {"autograd::engine::evaluate_function: MulBackward0", "other"},
            {"something_new", "other"}};
        for (const auto& row : table)
            QTest::newRow(row[0]) << QByteArray(row[0]) << QByteArray(row[1]);
    }
    void kinds()
    {
        QFETCH(QByteArray, name);
        const auto kind = toString(kindOf(name.toStdString()));
        QTEST(QByteArray(kind.data(), static_cast<qsizetype>(kind.size())), "kind");
    }

    void jsonComesBackTheSame()
    {
        auto profile = linearProfile();
        profile.precision = "bf16";
        profile.device = "cpu";
        profile.stepMs = 0.19;
        profile.launchUs = 0.7;
        profile.tf32 = true;
        const auto json = toJson(profile);
        const auto back = stepProfileFromJson(nlohmann::json::parse(json.dump()));
        QVERIFY2(back.has_value(), back ? "" : back.error().message.c_str());
        QVERIFY(toJson(*back) == json);
        QCOMPARE(back->matrices.front().sizes, (Shape{64, 784, 128}));
        QVERIFY(!stepProfileFromJson(nlohmann::json::array()));
        auto broken = json;
        broken["operators"] = 3;
        QVERIFY(!stepProfileFromJson(broken));
        broken["operators"] = nlohmann::json::array({{{"operator", "mm"}}});
        QVERIFY(!stepProfileFromJson(broken));
    }

    void csvHasALineForEachOperator()
    {
        const auto profile = linearProfile();
        const auto csv = QByteArray::fromStdString(toCsv(profile)).split('\n');
        QCOMPARE(csv.size(), static_cast<qsizetype>(profile.rows.size()) + 2);
        const auto line = std::ranges::find_if(csv,
            [](const QByteArray& text) { return text.startsWith("_to_copy,fp32→bf16,cast,"); });
        QVERIFY(line != csv.end());
        const auto cells = line->split(',');
        QCOMPARE(cells.size(), 8);
        QCOMPARE(cells[4].toDouble(), 0.04);
        QCOMPARE(cells[5].toDouble(), 0.2);
        QCOMPARE(cells[7].toDouble(), 903168.0);
    }
};

MANTISSA_TEST(TestStepProfile)
#include "tst_step_profile.moc"
