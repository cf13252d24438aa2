// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/storage/capability_store.h"
#include "core/storage/database.h"
#include "core/storage/host_identity.h"
#include "tests/core/hardware/sample_card.h"
#include "tests/support/store_fixture.h"
#include "tests/support/test_program.h"

#include <QTest>

using namespace mantissa;
using namespace mantissa::test;

class TestCapabilityStore : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void keepsEveryCheckNewestFirst()
    {
        const TempStore temp;
        const auto store = CapabilityStore::open(temp.file()).value();
        QVERIFY(store->checks().value().empty());
        auto first = card(0, 0.5, 100);
        auto second = card(0, 0.6, 90);
        second.measuredMs += 1000;
        QCOMPARE(store->add(first).value(), std::int64_t{1});
        QCOMPARE(store->add(second).value(), std::int64_t{2});
        const auto checks =
            CapabilityStore::open(temp.file(), RunStore::Mode::ReadOnly).value()->checks().value();
        QCOMPARE(checks.size(), std::size_t{2});
        QCOMPARE(checks[0].id, std::int64_t{2});
        QCOMPARE(toJson(checks[0].card).dump(), toJson(second).dump());
        QCOMPARE(toJson(checks[1].card).dump(), toJson(first).dump());
        QCOMPARE(checks[0].machine, currentHost().hostName);
    }

    void aCardThatCannotBeReadIsLeftOut()
    {
        const TempStore temp;
        const auto store = CapabilityStore::open(temp.file()).value();
        QVERIFY(store->add(card(0, 0.5, 100)));
        QVERIFY(store->add(card(0, 0.5, 100)));
        SQLite::Database db(temp.file().string(), SQLite::OPEN_READWRITE);
        QCOMPARE(db.exec("UPDATE capability_check SET card = '{' WHERE id = 1"), 1);
        QCOMPARE(store->checks().value().size(), std::size_t{1});
    }

    void aReadOnlyStoreRefuses()
    {
        const TempStore temp;
        QVERIFY(CapabilityStore::open(temp.file()).value()->add(card(0, 0.5, 100)));
        const auto store = CapabilityStore::open(temp.file(), RunStore::Mode::ReadOnly).value();
        const auto refused = store->add(card(0, 0.5, 100));
        QVERIFY(!refused);
        QVERIFY(refused.error().message.find(temp.file().string()) != std::string::npos);
    }

    void aStoreOfTheFirstVersionIsMigrated()
    {
        const TempStore temp;
        const std::vector<Migration> first(
            storeMigrations().begin(), storeMigrations().begin() + 1);
        QVERIFY(openDatabase(temp.file(), RunStore::Mode::ReadWrite, first));
        const auto store = CapabilityStore::open(temp.file()).value();
        QVERIFY(store->add(card(0, 0.5, 100)));
        QVERIFY(std::filesystem::exists(backupPath(temp.file(), 1)));
    }
};

MANTISSA_TEST(TestCapabilityStore)
#include "tst_capability_store.moc"
