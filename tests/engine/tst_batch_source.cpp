// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/batch_loader.h"

#include "core/engine/memory_meter.h"
#include "tests/support/test_program.h"

#include <ATen/ATen.h>

#include <QTest>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <tuple>

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
        const ImageMaker maker(set, {{0.25F}, {0.5F}});
        const auto batch = maker.allocate(2, false);
        maker.fill({1, 0}, 1, batch);
        QVERIFY((batch.input.sizes() == at::IntArrayRef{2, 1, 1, 3}));
        QVERIFY(batch.target[0].item<int>() == 9 && batch.target[1].item<int>() == 3);
        const float* value = batch.input.const_data_ptr<float>();
        for (const double byte : {102.0, 1.0, 2.0, 0.0, 51.0, 255.0})
            QVERIFY(std::abs(double(*value++) - (byte / 255 - 0.25) / 0.5) < 1e-6);
    }

    void everyChannelHasItsNormalisation()
    {
        ImageSet set;
        set.count = set.height = set.width = 1;
        set.channels = 3;
        set.pixels = {0, 51, 255};
        set.labels = {0};
        const ImageMaker maker(set, {{0.5F, 0.25F}, {0.5F, 2.0F}});
        const auto batch = maker.allocate(1, false);
        maker.fill({0}, 1, batch);
        const float* value = batch.input.const_data_ptr<float>();
        for (const double expected : {-1.0, (0.2 - 0.25) / 2, (1 - 0.25) / 2})
            QVERIFY(std::abs(double(*value++) - expected) < 1e-6);
    }

    void seekGoesWhereTheOrderWouldBe()
    {
        for (const bool shuffle : {true, false}) {
            for (std::int64_t taken = 0; taken < 14; ++taken) {
                TrainingOrder whole(23, 5, shuffle, 3);
                for (std::int64_t i = 0; i < taken; ++i)
                    whole.next();
                TrainingOrder other(23, 5, shuffle, 3);
                other.next();
                other.seek(taken);
                for (int i = 0; i < 6; ++i) {
                    QVERIFY(other.next() == whole.next());
                    QCOMPARE(other.epoch(), whole.epoch());
                }
            }
        }
    }

    void theLoaderGivesTheSameWithAndWithoutPrefetch()
    {
        const auto data = makeShapes(60, 10);
        DataConfig config;
        config.padCrop = 3;
        config.flip = true;
        const auto maker = makeSampleMaker(data, DataPart::Train, config, 5);
        BatchLoader::Options options;
        options.batchSize = 8;
        options.microBatches = 2;
        options.threadFrom = {}; // however quickly these small batches are filled
        const auto loaderOf = [&](std::int64_t prefetch) {
            options.prefetch = prefetch;
            return std::make_unique<BatchLoader>(*maker, TrainingOrder(60, 8, true, 5), options);
        };
        const auto plain = loaderOf(0);
        const auto ahead = loaderOf(3);
        std::vector<Batch> a;
        std::vector<Batch> b;
        for (int step = 0; step < 20; ++step) {
            plain->next(a);
            ahead->next(b);
            QCOMPARE(ahead->position(), std::int64_t{2 * (step + 1)});
            for (std::size_t i = 0; i < 2; ++i) {
                QVERIFY(at::equal(a[i].input, b[i].input));
                QVERIFY(at::equal(a[i].target, b[i].target));
            }
        }
        // An earlier step once more, which moves nothing.
        const auto again = ahead->again(10);
        plain->seek(10);
        plain->next(a);
        QCOMPARE(again.size(), a.size());
        QVERIFY(at::equal(again[1].input, a[1].input) && at::equal(again[0].target, a[0].target));
        QCOMPARE(ahead->position(), std::int64_t{40});
        // A position in the middle of an epoch, with other batches filled ahead already.
        ahead->seek(6);
        plain->seek(6);
        plain->next(a);
        ahead->next(b);
        QVERIFY(at::equal(a[1].input, b[1].input));
    }

    /// Against the definition: a padded copy, cut out and mirrored.
    void augmentationMovesAndMirrors()
    {
        ImageSet set;
        set.count = 40;
        set.height = set.width = 4;
        for (int i = 0; i < 40 * 16; ++i)
            set.pixels.push_back(static_cast<std::uint8_t>(1 + i % 200));
        set.labels.resize(40);
        const ImageMaker plain(set, {{0.0F}, {1.0F}});
        const ImageMaker maker(set, {{0.0F}, {1.0F}}, {7, 2, true});
        std::vector<std::int64_t> indices(40);
        std::iota(indices.begin(), indices.end(), 0);
        const auto original = plain.allocate(40, false);
        const auto changed = maker.allocate(40, false);
        const auto again = maker.allocate(40, false);
        plain.fill(indices, 1, original);
        maker.fill(indices, 1, changed);
        maker.fill(indices, 2, again);
        QVERIFY(!at::equal(changed.input, again.input));
        maker.fill(indices, 1, again);
        QVERIFY(at::equal(changed.input, again.input));
        std::set<std::tuple<int, int, bool>> seen;
        for (int i = 0; i < 40; ++i) {
            const auto padded = at::constant_pad_nd(original.input[i], {2, 2, 2, 2}, 0);
            int fits = 0;
            for (int y = 0; y < 5; ++y) {
                for (int x = 0; x < 5; ++x) {
                    const auto cut = padded.narrow(1, y, 4).narrow(2, x, 4);
                    for (const bool flip : {false, true}) {
                        if (!at::equal(flip ? cut.flip(2) : cut, changed.input[i]))
                            continue;
                        ++fits;
                        seen.insert({y, x, flip});
                    }
                }
            }
            QCOMPARE(fits, 1);
        }
        QVERIFY2(seen.size() > 15, qPrintable(QString::number(seen.size())));
    }

    void windowsOfATextAndTheirTargets()
    {
        Dataset data;
        data.target = TargetKind::NextToken;
        data.trainText.sequence = 4;
        for (std::uint16_t i = 0; i < 23; ++i)
            data.trainText.tokens.push_back(i);
        data.validationText = data.trainText;
        DataConfig config;
        const auto maker = makeSampleMaker(data, DataPart::Train, config, 1);
        QCOMPARE(maker->count(), std::int64_t{5}); // 22 tokens have one after them
        const auto batch = maker->allocate(5, false);
        maker->fill({0, 1, 2, 3, 4}, 3, batch);
        QVERIFY(at::equal(batch.input.flatten(), at::arange(20)));
        QVERIFY(at::equal(batch.target, batch.input + 1));
        maker->fill({1, 0, 3, 2, 4}, 7, batch);
        QCOMPARE(batch.input[0][0].item<int>(), 4);
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

MANTISSA_TEST(TestBatchSource)
#include "tst_batch_source.moc"
