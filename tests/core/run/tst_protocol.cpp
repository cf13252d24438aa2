// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/protocol.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

using namespace mantissa;
using Json = nlohmann::json;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

/// Equal bit for bit, all NaNs being one.
bool sameNumber(double a, double b)
{
    return (std::isnan(a) && std::isnan(b))
        || std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool sameNumbers(const std::vector<double>& a, const std::vector<double>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), sameNumber);
}

template <typename T> T decodeAs(const std::string& line)
{
    const auto event = decodeEvent(line);
    if (!event || !*event || !std::holds_alternative<T>(**event))
        return {};
    return std::get<T>(**event);
}

/// Any double: most are drawn as bits, so denormals, huge and non-finite ones are among them.
double anyDouble(std::mt19937_64& random)
{
    switch (random() % 8) {
    case 0:
        return static_cast<double>(random() % 100000);
    case 1:
        return random() % 2 ? 0.0 : -0.0;
    case 2:
        return std::vector<double>{kNan, kInf, -kInf}[random() % 3];
    default:
        return std::bit_cast<double>(random());
    }
}

std::vector<double> anyDoubles(std::mt19937_64& random, std::size_t count)
{
    std::vector<double> values(count);
    for (double& value : values)
        value = anyDouble(random);
    return values;
}

} // namespace

class TestProtocol : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void samplesComeBackToTheBit()
    {
        std::mt19937_64 random(1);
        for (int round = 0; round < 300; ++round) {
            Samples sent;
            sent.firstStep = 1 + static_cast<std::int64_t>(random() % 1'000'000'000);
            const auto count = 1 + random() % 256;
            sent.count = static_cast<std::int64_t>(count);
            for (const char* name : {"found_inf", "loss", "scale"})
                sent.series.push_back({name, anyDoubles(random, count)});
            const auto got = decodeAs<Samples>(encodeEvent(sent));
            QCOMPARE(got.firstStep, sent.firstStep);
            QCOMPARE(got.count, sent.count);
            QCOMPARE(got.series.size(), sent.series.size());
            for (std::size_t i = 0; i < got.series.size(); ++i) {
                QCOMPARE(got.series[i].name, sent.series[i].name);
                QVERIFY(sameNumbers(got.series[i].values, sent.series[i].values));
            }
        }
    }

    void pointsComeBackToTheBit()
    {
        std::mt19937_64 random(2);
        for (int round = 0; round < 200; ++round) {
            Points sent;
            sent.axis = random() % 2 ? Axis::Step : Axis::Time;
            sent.x = anyDoubles(random, random() % 20);
            sent.series.push_back({"metric", anyDoubles(random, sent.x.size())});
            const auto got = decodeAs<Points>(encodeEvent(sent));
            QVERIFY(got.axis == sent.axis);
            QVERIFY(sameNumbers(got.x, sent.x));
            QCOMPARE(got.series.size(), std::size_t{1});
            QVERIFY(sameNumbers(got.series[0].values, sent.series[0].values));
        }
    }

    void otherEventsComeBackEqual()
    {
        const Json environment{{"torch", "2.11.0"}, {"flags", {"avx2", "fma"}}};
        const std::vector<RunEvent> events{
            Hello{1, "mantissa-worker", "0.1.0", 4242, 0, 1, environment},
            Ready{environment, 5000},
            LifecycleEvent{"step_skipped", 17, 1.25, "found inf", {{"scale", 65536.0}}},
            LifecycleEvent{
                "warning", std::nullopt, 0.0, "say \"hi\"\n\t\\ naïve ∞", Json::object()},
            Heartbeat{12, "training"},
            Acknowledged{"pause"},
            BlockDone{40, 0.123456789},
            Finished{RunState::Stopped, "time limit", 100, 98, 2},
            Finished{RunState::Refused, "tf32 needs a GPU", 0, 0, 0},
        };
        for (const auto& event : events) {
            const auto line = encodeEvent(event);
            const auto got = decodeEvent(line);
            QVERIFY2(got.has_value() && got->has_value(), line.c_str());
            QVERIFY2(**got == event, line.c_str());
        }
    }

    void everyLineIsOneJsonObjectWithItsTypeFirst()
    {
        const auto line = encodeEvent(LifecycleEvent{"warning", 3, 0.5, "a\nb", Json::object()});
        QVERIFY(line.find('\n') == std::string::npos);
        QCOMPARE(line.rfind("{\"type\":\"event\",", 0), std::size_t{0});
        QCOMPARE(Json::parse(line).at("message").get<std::string>(), "a\nb");
    }

    void writesTheDocumentedWireForm()
    {
        const Samples samples{7, 3, {{"loss", {0.5, kNan, kInf}}, {"scale", {65536, -0.0, -kInf}}}};
        QCOMPARE(encodeEvent(samples),
            "{\"type\":\"samples\",\"first_step\":7,\"count\":3,\"series\":"
            "{\"loss\":[0.5,\"NaN\",\"Infinity\"],\"scale\":[65536,-0.0,\"-Infinity\"]}}");
        QCOMPARE(encodeEvent(Points{Axis::Time, {1.5}, {{"rss_bytes", {2048}}}}),
            "{\"type\":\"points\",\"axis\":\"time\",\"x\":[1.5],\"series\":{\"rss_bytes\":[2048]}"
            "}");
        QCOMPARE(encodeEvent(BlockDone{20, 0.25}),
            "{\"type\":\"block_done\",\"step\":20,\"train_seconds\":0.25}");
    }

    void bytesThatAreNotUtf8AreReplaced()
    {
        const auto line =
            encodeEvent(LifecycleEvent{"warning", 1, 0, "bad \xff byte", Json::object()});
        QCOMPARE(decodeAs<LifecycleEvent>(line).message, "bad \xef\xbf\xbd byte");
    }

    void unknownTypesAreNothingAndUnknownKeysAreIgnored()
    {
        const auto later = decodeEvent("{\"type\":\"histogram\",\"bins\":[1,2,3]}");
        QVERIFY(later.has_value());
        QVERIFY(!later->has_value());
        QCOMPARE(decodeAs<BlockDone>("{\"type\":\"block_done\",\"step\":5,\"mood\":1}").step,
            std::int64_t{5});
    }
};

MANTISSA_TEST(TestProtocol)
#include "tst_protocol.moc"
