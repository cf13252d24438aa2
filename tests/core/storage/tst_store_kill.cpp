// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/unix_time.h"
#include "core/storage/run_store.h"
#include "tests/support/fake_values.h"
#include "tests/support/send_signal.h"
#include "tests/support/store_fixture.h"
#include "tests/support/test_program.h"
#include "tests/support/waits.h"

#include <QProcess>
#include <QTest>
#include <chrono>
#include <fstream>
#include <map>
#include <random>
#include <thread>

using namespace mantissa;
using namespace mantissa::test;

namespace {

constexpr std::int64_t kMayBeLostMs = 1'000;
constexpr int kHostsAtOnce = 8; ///< they share two stores
constexpr int kKills = 200; ///< about 45 s; MANTISSA_KILLS changes it

/// What the workers of a host say they have written: the last step of each variant, up to a time
/// and in all.
struct Logged {
    std::map<std::string, std::int64_t> before;
    std::map<std::string, std::int64_t> all;
};

Logged readLog(const std::filesystem::path& file, std::int64_t untilMs)
{
    Logged logged;
    std::ifstream log(file);
    std::int64_t time = 0;
    std::int64_t first = 0;
    std::int64_t count = 0;
    std::string variant;
    while (log >> time >> first >> count >> variant) {
        logged.all[variant] = first + count - 1;
        if (time <= untilMs)
            logged.before[variant] = first + count - 1;
    }
    return logged;
}

struct Host {
    std::string experiment;
    std::filesystem::path store;
    std::filesystem::path log;
    std::int64_t killedMs = 0;
    QProcess process;
};

} // namespace

class TestStoreKill : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aKilledHostLosesAtMostASecond()
    {
        const int kills = qEnvironmentVariableIntValue("MANTISSA_KILLS") > 0
            ? qEnvironmentVariableIntValue("MANTISSA_KILLS")
            : kKills;
        for (int done = 0; done < kills; done += kHostsAtOnce) {
            killSome(done, std::min(kHostsAtOnce, kills - done));
            if (QTest::currentTestFailed())
                return;
        }
        qInfo("%d kills, %lld samples had to be stored, all were", kills, m_required);
        QVERIFY(m_required > 10 * kills);
    }

private:
    void killSome(int number, int count)
    {
        std::vector<std::unique_ptr<Host>> hosts;
        for (int i = 0; i < count; ++i)
            hosts.push_back(start(number + i));
        std::vector<std::thread> killers;
        std::uniform_int_distribution<int> delay(1'050, 1'600);
        for (auto& host : hosts) {
            QVERIFY(await([&] { return !readLog(host->log, 0).all.empty(); }));
            killers.emplace_back([&host, wait = delay(m_random)] {
                std::this_thread::sleep_for(std::chrono::milliseconds(wait));
                host->killedMs = unixMs();
                sendSignal(host->process, SIGKILL);
            });
        }
        for (auto& killer : killers)
            killer.join();
        for (auto& host : hosts)
            QVERIFY(host->process.waitForFinished());
        for (auto& host : hosts)
            check(*host);
    }

    std::unique_ptr<Host> start(int number)
    {
        auto host = std::make_unique<Host>();
        host->experiment = "host-" + std::to_string(number);
        host->store = m_temp.folder() / (number % 2 ? "odd.db" : "even.db");
        host->log = m_temp.folder() / (host->experiment + ".log");
        host->process.setProcessChannelMode(QProcess::ForwardedChannels);
        host->process.start(QStringLiteral(MANTISSA_STORE_HOST),
            {QString::fromStdString(host->store.string()), QString::fromStdString(host->experiment),
                QStringLiteral(MANTISSA_FAKE_WORKER), QString::fromStdString(host->log.string())});
        return host;
    }

    void check(const Host& host)
    {
        const auto store = RunStore::open(host.store).value();
        QCOMPARE(store->integrityCheck().value(), std::string("ok"));
        RunFilter filter;
        filter.experiment = host.experiment;
        const auto runs = store->runs(filter).value();
        QCOMPARE(runs.size(), std::size_t(2));
        const auto logged = readLog(host.log, host.killedMs - kMayBeLostMs);
        for (const auto& run : runs) {
            QVERIFY2(run.state == RunState::Interrupted, toString(run.state).data());
            checkSeries(*store, run, logged);
        }
    }

    void checkSeries(const RunStore& store, const RunRecord& run, const Logged& logged)
    {
        const auto loss = store.readSeries(run.id, "loss").value();
        for (std::size_t i = 0; i < loss.x.size(); ++i) {
            const auto step = static_cast<std::int64_t>(i) + 1;
            QCOMPARE(loss.x[i], static_cast<double>(step)); // in order, none twice, none missing
            QCOMPARE(loss.y[i], fakeLoss(run.seed, step));
        }
        const auto stored = static_cast<std::int64_t>(loss.x.size());
        const auto before = logged.before.find(run.variant);
        const auto required = before == logged.before.end() ? 0 : before->second;
        QVERIFY2(stored >= required,
            qPrintable(QStringLiteral("%1 of %2 stored").arg(stored).arg(required)));
        m_required += required;
        QCOMPARE(store.readSeries(run.id, "scale").value().x.size(), loss.x.size());
    }

    TempStore m_temp;
    std::mt19937 m_random{std::random_device{}()};
    long long m_required = 0;
};

MANTISSA_TEST(TestStoreKill)
#include "tst_store_kill.moc"
