// SPDX-License-Identifier: GPL-3.0-or-later
// The networks on generated tensors: sizes, published parameter counts, modes, fall-back. Their
// weights and losses are compared with Python's by tests/parity.
#include "core/engine/autocast_guard.h"
#include "core/engine/layers.h"
#include "core/engine/lstm.h"
#include "core/engine/model.h"
#include "tests/support/test_program.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <QTest>
#include <set>

using namespace mantissa;

namespace {

DataShape images(std::int64_t side = 28, std::int64_t channels = 1, std::int64_t classes = 10)
{
    DataShape shape;
    shape.channels = channels;
    shape.height = shape.width = side;
    shape.classes = classes;
    return shape;
}

DataShape text()
{
    DataShape shape;
    shape.target = TargetKind::NextToken;
    shape.classes = 11;
    shape.sequence = 6;
    return shape;
}

ModelConfig tiny(ModelKind kind)
{
    ModelConfig config;
    config.kind = kind;
    config.hidden = {8};
    config.width = config.channels = 2;
    config.patch = 7;
    config.dim = 8;
    config.depth = 2;
    config.heads = 2;
    config.latent = 4;
    return config;
}

std::unique_ptr<Model> make(const ModelConfig& config, const DataShape& shape)
{
    auto made = makeModel(config, shape);
    if (!made)
        qFatal("%s", made.error().message.c_str());
    return std::move(*made);
}

bool isText(ModelKind kind)
{
    return kind == ModelKind::Gpt || kind == ModelKind::Lstm;
}

} // namespace

class TestModels : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyParameterLearns_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<bool>("low");
        for (const auto& [name, kind] : {std::pair{"mlp", ModelKind::Mlp}, {"cnn", ModelKind::Cnn},
                 {"resnet18", ModelKind::Resnet18}, {"vit", ModelKind::Vit},
                 {"gpt", ModelKind::Gpt}, {"lstm", ModelKind::Lstm}}) {
            QTest::addRow("%s fp32", name) << int(kind) << false;
            QTest::addRow("%s bf16", name) << int(kind) << true;
        }
    }

    void everyParameterLearns()
    {
        QFETCH(int, kind);
        QFETCH(bool, low);
        const auto modelKind = static_cast<ModelKind>(kind);
        const bool tokens = isText(modelKind);
        const auto model = make(tiny(modelKind), tokens ? text() : images());
        const auto input =
            tokens ? at::arange(12).remainder(11).view({2, 6}) : at::rand({2, 1, 28, 28});
        const auto target = tokens ? input : at::tensor({3, 7}, at::kLong);
        std::optional<AutocastGuard> region;
        if (low)
            region.emplace(at::kCPU, at::kBFloat16);
        const auto prediction = (*model)(input);
        const auto loss = model->loss(prediction, target);
        region.reset();
        QVERIFY(
            (prediction.sizes() == (tokens ? at::IntArrayRef{2, 6, 11} : at::IntArrayRef{2, 10})));
        QCOMPARE(prediction.scalar_type(), low ? at::kBFloat16 : at::kFloat);
        QCOMPARE(loss.scalar_type(), at::kFloat);
        loss.backward();
        std::set<std::string> names;
        for (const auto& [name, tensor] : model->parameters()) {
            QVERIFY2(tensor.grad().defined(), name.c_str());
            QVERIFY2(at::isfinite(tensor.grad()).all().item<bool>(), name.c_str());
            QVERIFY2(names.insert(name).second, name.c_str());
        }
    }

    void resnet18HasThePublishedSize()
    {
        auto config = tiny(ModelKind::Resnet18);
        config.channels = 64;
        config.stem = ResnetStem::Imagenet;
        // torchvision's documentation of resnet18: 11689512 parameters, 1000 classes.
        QCOMPARE(make(config, images(32, 3, 1000))->parameterCount(), std::int64_t{11689512});
        // The CIFAR stem has 3 x 3 in place of 7 x 7 weights, and 10 classes 990 fewer rows.
        config.stem = ResnetStem::Cifar;
        QCOMPARE(make(config, images(32, 3, 10))->parameterCount(),
            std::int64_t{11689512 - 64 * 3 * (49 - 9) - 990 * 513});
    }

    void resnet18sNamesAreTorchvisions()
    {
        const auto model = make(tiny(ModelKind::Resnet18), images());
        std::vector<std::string> names;
        for (const auto& parameter : model->parameters())
            names.push_back(parameter.name);
        QCOMPARE(names.size(), std::size_t{62});
        QCOMPARE(names[0], std::string("conv1.weight"));
        QCOMPARE(names[3], std::string("layer1.0.conv1.weight"));
        QVERIFY(std::count(names.begin(), names.end(), "layer2.0.downsample.0.weight") == 1);
        QCOMPARE(names.back(), std::string("fc.bias"));
        QCOMPARE(model->root().buffers().size(), std::size_t{3 * 20});
        QCOMPARE(model->root().buffers()[0].name, std::string("bn1.running_mean"));
    }

    void theImagenetStemSeesAQuarter()
    {
        auto config = tiny(ModelKind::Resnet18);
        config.stem = ResnetStem::Imagenet;
        const auto model = make(config, images(64, 3));
        QVERIFY(((*model)(at::rand({2, 3, 64, 64})).sizes() == at::IntArrayRef{2, 10}));
    }

    void gptHasTheSizeOfItsFormulaAndSeesNoFuture()
    {
        const auto model = make(tiny(ModelKind::Gpt), text());
        // d = 8, depth 2, 11 tokens, 6 positions: (11 + 6) d + depth (12 d^2 + 13 d) + 2 d + 11 d.
        QCOMPARE(model->parameterCount(), std::int64_t{17 * 8 + 2 * (768 + 104) + 16 + 88});
        const at::NoGradGuard noGrad;
        auto input = at::tensor({1, 2, 3, 4, 5, 6}, at::kLong).unsqueeze(0);
        const auto before = (*model)(input);
        input = input.clone();
        input[0][5] = 9;
        const auto after = (*model)(input);
        QVERIFY(at::equal(before.narrow(1, 0, 5), after.narrow(1, 0, 5)));
        QVERIFY(!at::equal(before.narrow(1, 5, 1), after.narrow(1, 5, 1)));
        // Fewer tokens than the positions it knows are fine.
        QVERIFY(at::allclose((*model)(input.narrow(1, 0, 3)), before.narrow(1, 0, 3), 1e-4, 1e-6));
    }

    void batchNormKeepsRunningStatistics()
    {
        BatchNorm2d norm(1);
        // Mean 4, variance 5 (with n - 1 in the denominator: 20 / 3).
        const auto input = at::tensor({1.0F, 3.0F, 5.0F, 7.0F}).view({1, 1, 2, 2});
        const auto output = norm(input);
        QVERIFY(std::abs(output.mean().item<double>()) < 1e-6);
        QVERIFY(std::abs(norm.runningMean.item<double>() - 0.4) < 1e-6);
        QVERIFY(std::abs(norm.runningVar.item<double>() - (0.9 + 0.1 * 20 / 3)) < 1e-6);
        QCOMPARE(norm.batchesTracked.item<std::int64_t>(), std::int64_t{1});
        norm.setTraining(false);
        const double expected = (1 - 0.4) / std::sqrt(0.9 + 2.0 / 3 + 1e-5);
        QVERIFY(std::abs(norm(input)[0][0][0][0].item<double>() - expected) < 1e-5);
        QCOMPARE(norm.batchesTracked.item<std::int64_t>(), std::int64_t{1});
    }

    void aTransposedConvolutionDoubles()
    {
        ConvTranspose2d conv(3, 2, {.kernel = 4, .stride = 2, .padding = 1, .bias = false});
        QVERIFY((conv(at::rand({1, 3, 7, 7})).sizes() == at::IntArrayRef{1, 2, 14, 14}));
        QVERIFY(!conv.bias.defined());
        // fan-in: 2 x 4 x 4
        QVERIFY(conv.weight.abs().max().item<double>() <= 1 / std::sqrt(32.0));
    }

    void anLstmWithoutLowPrecisionKernelFallsBackToFp32_data()
    {
        QTest::addColumn<int>("type");
        QTest::newRow("fp16") << int(at::kHalf);
        QTest::newRow("bf16") << int(at::kBFloat16);
    }

    void anLstmWithoutLowPrecisionKernelFallsBackToFp32()
    {
        QFETCH(int, type);
        Lstm lstm(4, 8, 2);
        const auto input = at::rand({2, 5, 4});
        const auto exact = lstm(input);
        QVERIFY(lstm.fallback().empty());
        at::Tensor output;
        {
            const AutocastGuard region(at::kCPU, static_cast<at::ScalarType>(type));
            output = lstm(input);
        }
        // Which kernels exist is the machine's; either way it computes, and says how.
        const bool fellBack = !lstm.fallback().empty();
        QCOMPARE(output.scalar_type(), fellBack ? at::kFloat : static_cast<at::ScalarType>(type));
        QVERIFY(fellBack == (lstm.fallback().find("at::lstm runs in fp32: ") == 0));
        QVERIFY(at::allclose(output.to(at::kFloat), exact, 0, fellBack ? 1e-6 : 2e-2));
        output.to(at::kFloat).sum().backward();
        QVERIFY(lstm.parameters().front().tensor.grad().defined());
    }

    void misfitsAreWords_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("side"); // 0: text
        QTest::addColumn<QString>("words");
        QTest::newRow("resnet18 on text")
            << int(ModelKind::Resnet18) << 0 << "needs images; this data is text";
        QTest::newRow("gpt on images")
            << int(ModelKind::Gpt) << 28 << "\"gpt\" needs text; this data is images";
        QTest::newRow("lstm on images") << int(ModelKind::Lstm) << 28 << "\"lstm\" needs text";
        QTest::newRow("patches") << int(ModelKind::Vit) << 30 << "multiples of model.patch = 7";
        QTest::newRow("dcgan") << int(ModelKind::Dcgan) << 30 << "multiple of 4 pixels";
        QTest::newRow("cnn") << int(ModelKind::Cnn) << 3 << "at least 4 x 4 pixels";
    }

    void misfitsAreWords()
    {
        QFETCH(int, kind);
        QFETCH(int, side);
        QFETCH(QString, words);
        const auto made =
            makeModel(tiny(static_cast<ModelKind>(kind)), side == 0 ? text() : images(side));
        QVERIFY(!made.has_value());
        QVERIFY2(made.error().message.find(words.toStdString()) != std::string::npos,
            made.error().message.c_str());
    }
};

MANTISSA_TEST(TestModels)
#include "tst_models.moc"
