// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/batch_source.h"

#include "core/engine/memory_meter.h"

#include <ATen/Context.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/rand.h>

#include <QTest>
#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mantissa;

class TestBatchSource : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theOrderDependsOnTheSeedAlone()
    {
        TrainingOrder one(100, 10, true, 7);
        at::manual_seed(3); // another variant draws other random numbers in between
        at::rand({50});
        TrainingOrder same(100, 10, true, 7);
        TrainingOrder other(100, 10, true, 8);
        bool differs = false;
        for (int batch = 0; batch < 25; ++batch) {
            const auto expected = one.next();
            at::rand({5});
            QCOMPARE(same.next(), expected);
            differs = differs || other.next() != expected;
        }
        QVERIFY(differs);
    }

    void anEpochShowsEachImageOnce()
    {
        TrainingOrder order(23, 5, true, 1);
        QCOMPARE(order.batchesPerEpoch(), std::int64_t{4});
        std::vector<std::int64_t> firstEpoch;
        for (int epoch = 1; epoch <= 3; ++epoch) {
            std::vector<std::int64_t> seen;
            for (int batch = 0; batch < 4; ++batch) {
                const auto& indices = order.next();
                seen.insert(seen.end(), indices.begin(), indices.end());
                QCOMPARE(order.epoch(), std::int64_t{epoch});
            }
            if (epoch == 1)
                firstEpoch = seen;
            else
                QVERIFY(seen != firstEpoch);
            std::sort(seen.begin(), seen.end());
            QVERIFY(std::adjacent_find(seen.begin(), seen.end()) == seen.end());
            QVERIFY(seen.front() >= 0 && seen.back() < 23);
        }
    }

    void withoutShufflingItIsTheFilesOrder()
    {
        TrainingOrder order(7, 3, false, 1);
        for (int epoch = 0; epoch < 2; ++epoch) {
            QCOMPARE(order.next(), (std::vector<std::int64_t>{0, 1, 2}));
            QCOMPARE(order.next(), (std::vector<std::int64_t>{3, 4, 5}));
        }
    }

    void aBatchIsNormalisedAsStated()
    {
        ImageSet set;
        set.count = 2;
        set.height = 1;
        set.width = 3;
        set.pixels = {0, 51, 255, 102, 1, 2};
        set.labels = {3, 9};
        BatchMaker maker(set, {0.25F, 0.5F}, at::kCPU, false);
        Batch batch;
        maker.make({1, 0}, batch);
        QVERIFY((batch.images.sizes() == at::IntArrayRef{2, 1, 1, 3}));
        QVERIFY(batch.labels[0].item<int>() == 9 && batch.labels[1].item<int>() == 3);
        const float* value = batch.images.const_data_ptr<float>();
        for (const double byte : {102.0, 1.0, 2.0, 0.0, 51.0, 255.0})
            QVERIFY(std::abs(double(*value++) - (byte / 255 - 0.25) / 0.5) < 1e-6);
    }

    void memoryIsReusedForTheNextBatch()
    {
        ImageSet set;
        set.count = 4;
        set.height = set.width = 2;
        set.pixels.resize(16);
        set.labels.resize(4);
        BatchMaker maker(set, {}, at::kCPU, false);
        Batch batch;
        maker.make({0, 1}, batch);
        const auto* memory = batch.images.const_data_ptr();
        maker.make({2, 3}, batch);
        QCOMPARE(batch.images.const_data_ptr(), memory);
    }

    void theMeterCountsTensorsToTheByte()
    {
        MemoryMeter meter;
        QCOMPARE(meter.bytes(), std::int64_t{0});
        auto kept = at::empty({1000}, at::kFloat);
        QCOMPARE(meter.bytes(), std::int64_t{4000});
        meter.beginStep();
        at::empty({500}, at::kDouble);
        QCOMPARE(meter.bytes(), std::int64_t{4000});
        QCOMPARE(meter.peakBytes(), std::int64_t{8000});
        meter.beginStep();
        QCOMPARE(meter.peakBytes(), std::int64_t{4000});
        kept.reset();
        QCOMPARE(meter.bytes(), std::int64_t{0});
    }
};

QTEST_GUILESS_MAIN(TestBatchSource)
#include "tst_batch_source.moc"
