// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/config_io.h"
#include "core/config/schema.h"

#include <algorithm>
#include <cmath>
#include <random>

/// Valid experiments at random, for property tests.
namespace mantissa::test {

class RandomConfig {
public:
    explicit RandomConfig(std::uint32_t seed)
        : m_random(seed)
    {
    }

    ExperimentConfig next()
    {
        ExperimentConfig config;
        config.name = "experiment " + std::to_string(m_random() % 100);
        config.description = text();
        for (const auto& spec : schemaKeys()) {
            if (m_random() % 2 == 0)
                spec.set(config.settings, value(spec));
        }
        repair(config.settings);
        const auto count = 1 + m_random() % 4;
        for (std::size_t i = 0; i < count; ++i)
            config.variants.push_back(variant(i));
        return config;
    }

    /// A valid value of the key.
    SettingValue value(const KeySpec& spec)
    {
        switch (spec.type) {
        case ValueType::Bool:
            return m_random() % 2 == 0;
        case ValueType::Integer:
            return integer(spec.range);
        case ValueType::Number:
            return number(spec.range);
        case ValueType::Choice:
            return std::string(spec.choices[m_random() % spec.choices.size()]);
        case ValueType::Text:
            return spec.fits ? std::string(spec.choices[m_random() % spec.choices.size()]) : text();
        case ValueType::TextList:
            return texts();
        case ValueType::IntegerList:
            break;
        }
        std::vector<std::int64_t> list(m_random() % 4);
        for (auto& item : list)
            item = integer(spec.range);
        return list;
    }

private:
    std::vector<std::string> texts()
    {
        std::vector<std::string> list(m_random() % 4);
        for (auto& item : list)
            item = "x" + text();
        return list;
    }

    std::int64_t integer(const NumberRange& range)
    {
        const auto low = static_cast<std::int64_t>(*range.low);
        const auto high = static_cast<std::int64_t>(*range.high);
        return std::uniform_int_distribution(low, m_random() % 2 == 0 ? high : low + 9)(m_random);
    }

    double number(const NumberRange& range)
    {
        const double low = range.low.value_or(0);
        const double high = std::min(range.high.value_or(1e30), 1e30);
        for (;;) {
            // Spread over the magnitudes, not only near the upper end.
            const double share =
                std::pow(2.0, -std::uniform_real_distribution(0.0, 60.0)(m_random));
            const double value = low + (high - low) * share;
            if (range.contains(value))
                return value;
        }
    }

    std::string text()
    {
        static const std::vector<std::string> pieces{
            "a", "B", " ", "\"", "\\", "\n", "\t", "é", "深", "#", "=", "[x]", "\x01", "\x7F", "'"};
        std::string out;
        for (auto i = m_random() % 8; i > 0; --i)
            out += pieces[m_random() % pieces.size()];
        return out;
    }

    static void repair(Settings& settings)
    {
        auto& model = settings.model;
        model.dim = std::max<std::int64_t>(1, model.dim / model.heads) * model.heads;
        auto& train = settings.train;
        if (train.epochs > 0)
            train.steps = TrainConfig{}.steps;
        train.warmupSteps = std::min(train.warmupSteps, train.steps);
        train.nesterov = train.nesterov && train.momentum > 0;
        auto& scaler = settings.scaler;
        if (scaler.minScale)
            scaler.minScale = std::min(*scaler.minScale, scaler.initScale);
        if (scaler.maxScale)
            scaler.maxScale = std::max(*scaler.maxScale, scaler.initScale);
        auto& data = settings.data;
        for (auto* place : {&data.images, &data.labels, &data.validationImages,
                 &data.validationLabels, &data.path})
            *place += "file";
    }

    Variant variant(std::size_t index)
    {
        // Overrides of these never break a rule that concerns several keys.
        static const std::vector<std::string_view> paths{"train.lr", "model.hidden", "model.kind",
            "data.batch_size", "device.kind", "scaler.growth_interval", "train.clip_norm",
            "autocast.cache", "run.max_seconds", "scaler.enabled"};
        Variant variant;
        variant.name = "v" + std::to_string(index);
        variant.precision = static_cast<Precision>(m_random() % 4);
        for (const auto path : paths) {
            if (m_random() % 3 == 0)
                variant.overrides.emplace_back(path, toTomlText(value(*findKey(path))));
        }
        return variant;
    }

    std::mt19937 m_random;
};

} // namespace mantissa::test
