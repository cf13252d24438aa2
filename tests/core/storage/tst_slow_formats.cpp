// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/storage/host_identity.h"
#include "core/storage/slow_formats.h"
#include "tests/core/hardware/sample_card.h"
#include "tests/support/store_fixture.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <SQLiteCpp/SQLiteCpp.h>

using namespace mantissa;
using namespace mantissa::test;

namespace {

const std::string kHost = "here";

ModelCheck modelCheck(const ExperimentConfig& config, const std::vector<double>& factors)
{
    ModelCheck check{"t", "auto", 1'700'000'000'000, {}};
    for (std::size_t i = 0; i < config.variants.size(); ++i) {
        ModelProbe probe;
        probe.variant = config.variants[i].name;
        probe.precision = config.variants[i].precision;
        probe.key = predictionKey(config.variants[i]);
        probe.stepMs = {factors[i], factors[i], factors[i]};
        probe.runSeconds = 10 * factors[i];
        probe.factor = factors[i];
        check.probes.push_back(probe);
    }
    return check;
}

bool contains(const std::string& text, const char* part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

class TestSlowFormats : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void case71_fp16OnACpuIsToldBeforeTheStart()
    {
        const auto config = experiment({Precision::Fp32, Precision::Bf16, Precision::Fp16});
        const auto warnings =
            slowFormatWarnings(config, {modelCheck(config, {1, 2.2, 285})}, {}, kHost);
        QCOMPARE(warnings.size(), std::size_t{1});
        const auto& text = warnings.front();
        QVERIFY2(contains(text, "fp16 was measured 285x slower than fp32 here"), text.c_str());
        QVERIFY2(contains(text, "Expect about 47 min 30 s"), text.c_str());
        QVERIFY2(contains(text, "Faster here: fp32, bf16 (2.20x slower)"), text.c_str());
    }

    void case72_bf16OnACpuThatEmulatesIt()
    {
        const auto config = experiment({Precision::Fp32, Precision::Bf16});
        auto checked = card(0, 90, 200);
        const auto warnings = slowFormatWarnings(config, {}, {{1, kHost, checked}}, kHost);
        QCOMPARE(warnings.size(), std::size_t{1});
        QVERIFY2(contains(warnings.front(), "bf16 was measured 90x slower"), warnings[0].c_str());
        QVERIFY2(contains(warnings.front(), "hardware check"), warnings[0].c_str());
        // Another machine's card says nothing of this one.
        QVERIFY(slowFormatWarnings(config, {}, {{1, "elsewhere", checked}}, kHost).empty());
        // On a machine with a GPU "auto" trains there.
        checked.devices.push_back({"cuda:0", "a GPU"});
        QVERIFY(slowFormatWarnings(config, {}, {{1, kHost, checked}}, kHost).empty());
    }

    void threeTimesIsNotOverThree()
    {
        const auto config = experiment({Precision::Fp32, Precision::Bf16});
        QVERIFY(slowFormatWarnings(config, {modelCheck(config, {1, 3})}, {}, kHost).empty());
        QCOMPARE(slowFormatWarnings(config, {modelCheck(config, {1, 3.01})}, {}, kHost).size(),
            std::size_t{1});
    }

    void theModelsOwnCheckCountsMoreAndTheNewestMost()
    {
        const auto config = experiment({Precision::Fp32, Precision::Bf16});
        const auto slow = modelCheck(config, {1, 9});
        const auto fast = modelCheck(config, {1, 1});
        QVERIFY(
            slowFormatWarnings(config, {fast, slow}, {{1, kHost, card(0, 90, 90)}}, kHost).empty());
        auto other = config;
        for (auto& variant : other.variants)
            variant.settings.data.batchSize = 1'000;
        QVERIFY(slowFormatWarnings(other, {slow}, {}, kHost).empty());
    }

    void theStoreTellsThePredictionsOfItsRuns()
    {
        const TempStore temp;
        const auto config = experiment({Precision::Fp32});
        auto check = modelCheck(config, {1.5});
        check.measuredMs = 1;
        const auto store = CapabilityStore::open(temp.file()).value();
        QVERIFY(store->addModelCheck(check));
        QCOMPARE(toJson(store->modelChecks().value().front()).dump(), toJson(check).dump());
        QVERIFY(store->predictions().value().empty());
        const auto run = storeFinishedRun(temp.file(), 30);
        const auto outcomes = store->predictions().value();
        QCOMPARE(outcomes.size(), std::size_t{1});
        QCOMPARE(outcomes[0].run, run);
        QCOMPARE(outcomes[0].key, predictionKey(config.variants[0]));
        QCOMPARE(outcomes[0].predictedMs, 1.5);
        const auto record = RunStore::open(temp.file()).value()->run(run).value();
        QCOMPARE(outcomes[0].measuredMs, record.summary.stepMs->median);
        QCOMPARE(outcomes[0].createdMs, record.createdMs);
        // Another machine's checks and runs say nothing of this one.
        QCOMPARE(store->modelChecks(currentHost().hostName).value().size(), std::size_t{1});
        QVERIFY(store->modelChecks("elsewhere").value().empty());
        SQLite::Database database(temp.file().string(), SQLite::OPEN_READWRITE);
        database.exec("UPDATE machine SET name = 'elsewhere'");
        QVERIFY(store->predictions().value().empty());
        database.exec("UPDATE machine SET name = '" + currentHost().hostName + "'");
        database.exec("UPDATE run SET host_name = 'elsewhere'");
        QVERIFY(store->predictions().value().empty());
        // A check from after the run predicted nothing.
        const TempStore later;
        storeFinishedRun(later.file(), 30);
        auto future = check;
        future.measuredMs = std::int64_t{1} << 60;
        const auto second = CapabilityStore::open(later.file()).value();
        QVERIFY(second->addModelCheck(future));
        QVERIFY(second->predictions().value().empty());
    }
};

MANTISSA_TEST(TestSlowFormats)
#include "tst_slow_formats.moc"
