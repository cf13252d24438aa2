// SPDX-License-Identifier: GPL-3.0-or-later
// The checklist on stored runs made by hand, one for each way of going wrong.
#include "core/report/checklist.h"

#include "core/config/config_io.h"
#include "tests/support/store_fixture.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

using namespace mantissa;
using namespace mantissa::test;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// A run of `precision` in memory; series are added by the test.
ChecklistInput inputOf(Precision precision)
{
    ChecklistInput input;
    Variant variant;
    variant.name = std::string(toString(precision));
    variant.precision = precision;
    input.run.id = 7;
    input.run.variant = variant.name;
    input.run.precision = variant.name;
    input.run.config = variantToJson(variant);
    input.run.environment = nlohmann::json::object();
    return input;
}

void add(ChecklistInput& input, const char* name, std::vector<double> values)
{
    SeriesSlice slice;
    for (std::size_t i = 0; i < values.size(); ++i)
        slice.x.push_back(static_cast<double>(i + 1));
    slice.y = std::move(values);
    input.series[name] = std::move(slice);
}

CheckResult find(const std::vector<CheckResult>& checks, std::string_view id)
{
    for (const auto& check : checks) {
        if (check.id == id)
            return check;
    }
    return {};
}

std::string answer(const ChecklistInput& input, std::string_view id)
{
    const auto check = find(checklist(input), id);
    if (check.question.empty() || check.evidence.empty())
        return "no such check, or no evidence";
    if ((check.answer == CheckAnswer::Found) < !check.advice.empty())
        return "advice without a finding";
    return std::string(toString(check.answer));
}

} // namespace

#define COMPARE_ANSWER(input, id, expected) QCOMPARE(answer(input, id), std::string(expected))

class TestChecklist : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void withoutSeriesNothingIsClaimed()
    {
        const auto input = inputOf(Precision::Fp16);
        for (const char* id : {"loss", "fp32_twin", "skips", "scale_collapse", "recovery",
                 "scale_growth", "first_tensor", "intrinsic", "gradients", "types", "speed_gain",
                 "memory_gain", "emulated", "short_steps", "data_wait"})
            COMPARE_ANSWER(input, id, "cannot_tell");
        COMPARE_ANSWER(input, "no_scaler", "not_found");
        COMPARE_ANSWER(input, "settings", "not_found");
    }

    void aCleanRunHasNoFindings()
    {
        auto input = inputOf(Precision::Fp16);
        add(input, "loss", std::vector<double>(50, 0.5));
        add(input, "scale", std::vector<double>(50, 65536));
        add(input, "found_inf", std::vector<double>(50, 0));
        add(input, "grad_norm", std::vector<double>(50, 1));
        for (const auto& check : nanChecklist(input))
            QVERIFY2(check.answer != CheckAnswer::Found, std::string(check.id).c_str());
        COMPARE_ANSWER(input, "first_tensor", "not_found");
    }

    void case8_persistentSkipsAndACollapsedScale()
    {
        auto input = inputOf(Precision::Fp16);
        std::vector<double> scale;
        for (int i = 0; i < 40; ++i)
            scale.push_back(std::ldexp(65536.0, -i));
        add(input, "loss", std::vector<double>(40, kNan));
        add(input, "scale", scale);
        add(input, "found_inf", std::vector<double>(40, 1));
        COMPARE_ANSWER(input, "loss", "found");
        COMPARE_ANSWER(input, "skips", "found");
        COMPARE_ANSWER(input, "scale_collapse", "found");
        COMPARE_ANSWER(input, "first_tensor", "cannot_tell");
        const auto skips = find(checklist(input), "skips");
        QVERIFY(skips.evidence.find("pattern: persistent") != std::string::npos);
    }

    void theLocatorsFindingAnswersFour()
    {
        auto input = inputOf(Precision::Fp16);
        add(input, "scale", {65536, 65536});
        add(input, "found_inf", {0, 1});
        input.events.push_back({"non_finite_located", 2, 0.5, "fc2 overflowed",
            {{"cause", "forward_overflow"}, {"module", "fc2"}}});
        COMPARE_ANSWER(input, "first_tensor", "found");
        COMPARE_ANSWER(input, "forward", "found");
        COMPARE_ANSWER(input, "scale_too_high", "not_found");
        COMPARE_ANSWER(input, "backward", "not_found");
        COMPARE_ANSWER(input, "intrinsic", "not_found");
        const auto checks = checklist(input);
        QVERIFY(find(checks, "first_tensor").evidence.find("fc2 overflowed") != std::string::npos);
        QVERIFY(find(checks, "forward").evidence.find("forward_overflow") != std::string::npos);
    }

    /// t01 of the reports: 30 of 30 steps overflow on the way down from 1e38. That is no scale that
    /// grows, and the scale is the cause.
    void aSearchThatHasNotEndedIsCalledThat()
    {
        auto input = inputOf(Precision::Fp16);
        std::vector<double> scale;
        for (int i = 0; i < 30; ++i)
            scale.push_back(std::ldexp(1e38, -i));
        add(input, "scale", scale);
        add(input, "found_inf", std::vector<double>(30, 1));
        input.events.push_back(
            {"non_finite_located", 1, 0.5, "fc2", {{"cause", "scale_overflow"}}});
        COMPARE_ANSWER(input, "scale_growth", "not_found");
        COMPARE_ANSWER(input, "skips", "found");
        const auto skips = find(checklist(input), "skips");
        QVERIFY2(skips.advice.find("search for a scale has not ended") != std::string::npos,
            skips.advice.c_str());
        // One that did grow so far is still told.
        std::reverse(scale.begin(), scale.end());
        add(input, "scale", scale);
        add(input, "found_inf", std::vector<double>(30, 0));
        COMPARE_ANSWER(input, "scale_growth", "found");
    }

    /// Steps 1 and 9 went wrong for different reasons: both stand in the list, the first of each.
    void theFirstOfEachKindOfTroubleIsShown()
    {
        auto input = inputOf(Precision::Fp16);
        add(input, "scale", std::vector<double>(12, 64));
        add(input, "found_inf", std::vector<double>(12, 1));
        const auto event = [&](int step, const char* trouble, const char* cause) {
            input.events.push_back({"non_finite_located", step, 0.5,
                std::string("place of step ") + std::to_string(step),
                {{"cause", cause}, {"trouble", trouble}}});
        };
        event(1, "skip", "scale_overflow");
        event(9, "loss", "forward_overflow");
        event(11, "skip", "intrinsic");
        COMPARE_ANSWER(input, "scale_too_high", "found");
        COMPARE_ANSWER(input, "forward", "found");
        COMPARE_ANSWER(input, "intrinsic", "not_found");
        const auto first = find(checklist(input), "first_tensor").evidence;
        QVERIFY2(
            first.find("step 1: place of step 1; step 9: place of step 9") == 0, first.c_str());
        QVERIFY2(first.find("11") == std::string::npos, first.c_str());
    }

    /// t02 of the reports: the training is fine, the validation is not.
    void finiteLossesAreNotSaidWithoutTheValidation()
    {
        auto input = inputOf(Precision::Fp16);
        add(input, "loss", std::vector<double>(60, 0.5));
        auto loss = find(checklist(input), "loss").evidence;
        QVERIFY2(loss.find("no validation is stored") != std::string::npos, loss.c_str());
        COMPARE_ANSWER(input, "validation", "cannot_tell");
        add(input, "metric", {0.9, 0.9, 0.9});
        COMPARE_ANSWER(input, "validation", "not_found");
        loss = find(checklist(input), "loss").evidence;
        QVERIFY2(loss.find("so are all 3 validations") != std::string::npos, loss.c_str());
        add(input, "validation_loss", {0.2, kNan, kNan});
        add(input, "validation_non_finite", {0, 4, 5});
        input.run.environment["validation_rows"] = 40;
        input.fp32Twin.emplace();
        input.fp32Twin->variant = "base";
        input.twinEvaluations = {{2, 0.925, 0.2, 0}};
        COMPARE_ANSWER(input, "validation", "found");
        const auto check = find(checklist(input), "validation");
        for (const auto* part : {"since step 2 (2 of 3 validations)", "4 of 40 rows",
                 "base at step 2: accuracy 92.5 %"})
            QVERIFY2(check.evidence.find(part) != std::string::npos, check.evidence.c_str());
        loss = find(checklist(input), "loss").evidence;
        QVERIFY2(loss.find("the validation is not finite since step 2") != std::string::npos,
            loss.c_str());
        COMPARE_ANSWER(input, "fp32_twin", "not_found");
        input.twinEvaluations[0].nonFiniteRows = 1;
        COMPARE_ANSWER(input, "fp32_twin", "found");
    }

    /// Norms that are not finite are not left out without a word.
    void normsThatAreNotFiniteAreCounted()
    {
        auto input = inputOf(Precision::Bf16);
        add(input, "grad_norm", {1, 1, kNan, kNan});
        auto check = find(checklist(input), "gradients");
        QVERIFY2(check.evidence.find("2 of 4 norms are not finite, the first at step 3")
                != std::string::npos,
            check.evidence.c_str());
        add(input, "grad_norm", {kNan, kNan});
        check = find(checklist(input), "gradients");
        QVERIFY2(check.evidence.find("2 of 2 norms") != std::string::npos, check.evidence.c_str());
    }

    void case1_aSlowWayBack()
    {
        auto input = inputOf(Precision::Fp16);
        std::vector<double> scale(40, 65536);
        std::vector<double> foundInf(40, 0);
        for (int i = 0; i < 5; ++i) {
            foundInf[static_cast<std::size_t>(20 + 2 * i)] = 1;
            for (std::size_t j = static_cast<std::size_t>(21 + 2 * i); j < 40; ++j)
                scale[j] /= 2;
        }
        add(input, "scale", scale);
        add(input, "found_inf", foundInf);
        COMPARE_ANSWER(input, "recovery", "found");
        const auto check = find(checklist(input), "recovery");
        QVERIFY(check.evidence.find("10,000 clean steps") != std::string::npos);
        QVERIFY(check.advice.find("scaler.min_scale") != std::string::npos);
    }

    /// Ten halvings to the scale that fits, and one skip after a growth later: nothing was lost.
    void theSearchForAScaleIsNoLoss()
    {
        auto input = inputOf(Precision::Fp16);
        std::vector<double> scale(60, 65536);
        std::vector<double> foundInf(60, 0);
        for (int i = 0; i < 10; ++i) {
            scale[static_cast<std::size_t>(i)] = std::ldexp(1.0, 26 - i);
            foundInf[static_cast<std::size_t>(i)] = 1;
        }
        scale[45] = 131072;
        foundInf[45] = 1;
        add(input, "scale", scale);
        add(input, "found_inf", foundInf);
        COMPARE_ANSWER(input, "recovery", "not_found");
    }

    void case10_aGradientThatGrew()
    {
        auto input = inputOf(Precision::Fp16);
        std::vector<double> norms(100, 1);
        norms[80] = 250;
        add(input, "grad_norm", norms);
        COMPARE_ANSWER(input, "gradients", "found");
        QVERIFY(find(checklist(input), "gradients").evidence.find("step 81") != std::string::npos);
    }

    void aScalerOnBf16AndAnFp32TwinThatFailsToo()
    {
        auto input = inputOf(Precision::Bf16);
        add(input, "scale", {8, 16});
        add(input, "found_inf", {0, 0});
        COMPARE_ANSWER(input, "scale_growth", "found");
        input.fp32Twin.emplace();
        input.fp32Twin->summary.nonFiniteLosses = 3;
        COMPARE_ANSWER(input, "fp32_twin", "found");
        input.fp32Twin->summary.nonFiniteLosses = 0;
        COMPARE_ANSWER(input, "fp32_twin", "not_found");
    }

    void speedAndMemoryAgainstTheTwin()
    {
        auto input = inputOf(Precision::Bf16);
        input.fp32Twin.emplace();
        auto& base = input.fp32Twin->summary;
        auto& own = input.run.summary;
        base.stepsMeasured = own.stepsMeasured = 100;
        base.samplesPerSecond = 100;
        own.samplesPerSecond = 104;
        base.peakMemoryBytes = 1000;
        own.peakMemoryBytes = 600;
        own.stepMs = Quartiles{2, 2, 2};
        input.run.environment["formats"]["bf16"]["class"] = "emulated";
        COMPARE_ANSWER(input, "speed_gain", "found");
        COMPARE_ANSWER(input, "memory_gain", "not_found");
        COMPARE_ANSWER(input, "emulated", "found");
        COMPARE_ANSWER(input, "short_steps", "found");
        own.samplesPerSecond = 130;
        own.stepMs = Quartiles{20, 20, 20};
        input.run.environment["formats"]["bf16"]["class"] = "native";
        COMPARE_ANSWER(input, "speed_gain", "not_found");
        COMPARE_ANSWER(input, "emulated", "not_found");
        COMPARE_ANSWER(input, "short_steps", "not_found");
        add(input, "step_ms", std::vector<double>(10, 20));
        add(input, "data_wait_ms", std::vector<double>(10, 5));
        COMPARE_ANSWER(input, "data_wait", "found");
        QVERIFY(find(checklist(input), "data_wait").evidence.find("25.0 %") != std::string::npos);
    }

    void readsAStoredRunAndItsTwin()
    {
        const TempStore temp;
        const auto writer = writerOf(temp.file(), {Precision::Fp32, Precision::Fp16});
        for (int run = 0; run < 2; ++run) {
            writer->onEvent(run, samples(1, 30));
            writer->onState(run, outcome(RunState::Finished));
        }
        writer->flush();
        const auto store = RunStore::open(temp.file()).value();
        const auto input = readChecklistInput(*store, writer->runId(1));
        QVERIFY(input.has_value());
        QCOMPARE(input->run.precision, std::string("fp16"));
        QVERIFY(input->fp32Twin.has_value());
        QCOMPARE(input->fp32Twin->id, writer->runId(0));
        const auto json = toJson(input->run.id, checklist(*input));
        QVERIFY(json["checks"].size() > 15);
        for (const auto& check : json["checks"]) {
            const auto word = check["answer"].get<std::string>();
            QVERIFY(word == "found" || word == "not_found" || word == "cannot_tell");
        }
        QVERIFY(!readChecklistInput(*store, 99).has_value());
    }
};

MANTISSA_TEST(TestChecklist)
#include "tst_checklist.moc"
