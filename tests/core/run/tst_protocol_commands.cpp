// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/protocol.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <cmath>

using namespace mantissa;

namespace {

const double kNan = std::nan("");

QByteArray json(QByteArray text)
{
    return text.replace('\'', '"');
}

} // namespace

class TestProtocolCommands : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void commandsComeBack()
    {
        const auto run = decodeCommand(encodeCommand(RunBlockCommand{0}));
        QCOMPARE(std::get<RunBlockCommand>(**run).steps, std::int64_t{0});
        const SetCommand several{{{"growth_interval", 200}, {"max_scale", nullptr}}};
        const auto set = decodeCommand(encodeCommand(several));
        QVERIFY(std::get<SetCommand>(**set).changes == several.changes);
        const auto one = decodeCommand(encodeCommand(SetCommand{{{"policy", "smooth"}}}));
        QVERIFY(std::get<SetCommand>(**one).changes.front() == (SettingChange{"policy", "smooth"}));
        const auto stop = decodeCommand(encodeCommand(StopCommand{"quota"}));
        QCOMPARE(std::get<StopCommand>(**stop).reason, "quota");
        QVERIFY(std::holds_alternative<CheckpointCommand>(
            **decodeCommand(encodeCommand(CheckpointCommand{}))));
        QVERIFY(
            std::holds_alternative<PauseCommand>(**decodeCommand(encodeCommand(PauseCommand{}))));
        QVERIFY(
            std::holds_alternative<ResumeCommand>(**decodeCommand(encodeCommand(ResumeCommand{}))));
    }

    void startCarriesTheWholeVariant()
    {
        Variant variant;
        variant.name = "fp16 low";
        variant.precision = Precision::Fp16;
        variant.settings.run.seed = 2147483647;
        variant.settings.scaler.initScale = 1099511627776.0;
        variant.settings.model.hidden = {64, 32};
        const auto got = decodeCommand(encodeCommand(StartCommand{variant}));
        QVERIFY2(got.has_value(), got ? "" : got.error().message.c_str());
        const auto& back = std::get<StartCommand>(**got).variant;
        QCOMPARE(back.name, variant.name);
        QVERIFY(back.precision == variant.precision);
        QVERIFY(back.settings == variant.settings);
    }

    void startTellsWhereToGoOn()
    {
        StartCommand start;
        start.variant.name = "v";
        start.resumeFrom = "/runs.db.checkpoints/7/step-20.ckpt";
        start.checkpointFolder = "/runs.db.checkpoints/7";
        const auto line = encodeCommand(start);
        QVERIFY(line.find("\"resume_from\":\"/runs.db.checkpoints/7/step-20.ckpt\"")
            != std::string::npos);
        const auto got = decodeCommand(line);
        QCOMPARE(std::get<StartCommand>(**got).resumeFrom, start.resumeFrom);
        QCOMPARE(std::get<StartCommand>(**got).checkpointFolder, start.checkpointFolder);
        QVERIFY(encodeCommand(StartCommand{start.variant}).find("resume") == std::string::npos);
    }

    void writesTheDocumentedWireForm()
    {
        QCOMPARE(encodeCommand(RunBlockCommand{20}), "{\"type\":\"run_block\",\"steps\":20}");
        QCOMPARE(encodeCommand(PauseCommand{}), "{\"type\":\"pause\"}");
        QCOMPARE(encodeCommand(StopCommand{"user"}), "{\"type\":\"stop\",\"reason\":\"user\"}");
        QCOMPARE(encodeCommand(SetCommand{{{"min_scale", nullptr}}}),
            "{\"type\":\"set\",\"key\":\"min_scale\",\"value\":\"NaN\"}");
        QCOMPARE(encodeCommand(SetCommand{{{"scale", 8}, {"policy", "static"}}}),
            "{\"type\":\"set\",\"values\":{\"scale\":8,\"policy\":\"static\"}}");
    }

    void unknownTypesAreNothing()
    {
        const auto command = decodeCommand("{\"type\":\"rewind\",\"path\":\"x\"}");
        QVERIFY(command.has_value());
        QVERIFY(!command->has_value());
    }

    void brokenCommandsAreErrors()
    {
        for (const char* line :
            {"", "pause", "{'type':'run_block'}", "{'type':'run_block','steps':-1}",
                "{'type':'set','key':'scale'}", "{'type':'set','key':1,'value':1}",
                "{'type':'set','values':{}}", "{'type':'set'}", "{'type':'start'}"})
            QVERIFY2(!decodeCommand(json(line).toStdString()).has_value(), line);
    }
};

MANTISSA_TEST(TestProtocolCommands)
#include "tst_protocol_commands.moc"
