// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/protocol.h"

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
        const auto set = decodeCommand(encodeCommand(SetCommand{"growth_interval", 200}));
        QCOMPARE(std::get<SetCommand>(**set).key, "growth_interval");
        QCOMPARE(std::get<SetCommand>(**set).value, 200.0);
        const auto stop = decodeCommand(encodeCommand(StopCommand{"quota"}));
        QCOMPARE(std::get<StopCommand>(**stop).reason, "quota");
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

    void writesTheDocumentedWireForm()
    {
        QCOMPARE(encodeCommand(RunBlockCommand{20}), "{\"type\":\"run_block\",\"steps\":20}");
        QCOMPARE(encodeCommand(PauseCommand{}), "{\"type\":\"pause\"}");
        QCOMPARE(encodeCommand(StopCommand{"user"}), "{\"type\":\"stop\",\"reason\":\"user\"}");
        QCOMPARE(encodeCommand(SetCommand{"min_scale", kNan}),
            "{\"type\":\"set\",\"key\":\"min_scale\",\"value\":\"NaN\"}");
    }

    void unknownTypesAreNothing()
    {
        const auto command = decodeCommand("{\"type\":\"checkpoint\",\"path\":\"x\"}");
        QVERIFY(command.has_value());
        QVERIFY(!command->has_value());
    }

    void brokenCommandsAreErrors()
    {
        for (const char* line : {"", "pause", "{'type':'run_block'}",
                 "{'type':'run_block','steps':-1}", "{'type':'set','key':'scale'}",
                 "{'type':'set','key':1,'value':1}", "{'type':'start'}"})
            QVERIFY2(!decodeCommand(json(line).toStdString()).has_value(), line);
    }
};

QTEST_GUILESS_MAIN(TestProtocolCommands)
#include "tst_protocol_commands.moc"
