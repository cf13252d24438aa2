// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/experiment_config.h"

#include <array>
#include <optional>
#include <string_view>
#include <vector>

/// The file's words for the enums of ExperimentConfig, in the order of the enumerators.
namespace mantissa {

template <typename E> struct Words;
template <> struct Words<Precision> {
    static constexpr std::array<std::string_view, 4> list{"fp32", "tf32", "fp16", "bf16"};
};
template <> struct Words<ModelKind> {
    static constexpr std::array<std::string_view, 7> list{
        "mlp", "cnn", "resnet18", "vit", "gpt", "lstm", "dcgan"};
};
template <> struct Words<ResnetStem> {
    static constexpr std::array<std::string_view, 2> list{"cifar", "imagenet"};
};
template <> struct Words<DataSource> {
    static constexpr std::array<std::string_view, 6> list{
        "fashion-mnist", "idx", "shapes", "cifar10", "text", "csv"};
};
template <> struct Words<TargetWord> {
    static constexpr std::array<std::string_view, 2> list{"class", "value"};
};
template <> struct Words<OptimizerKind> {
    static constexpr std::array<std::string_view, 4> list{"sgd", "adam", "adamw", "rmsprop"};
};
template <> struct Words<LrSchedule> {
    static constexpr std::array<std::string_view, 3> list{"constant", "step", "cosine"};
};
template <> struct Words<RunSchedule> {
    static constexpr std::array<std::string_view, 2> list{"sequential", "interleaved"};
};
template <> struct Words<ScalerEnabled> {
    static constexpr std::array<std::string_view, 3> list{"auto", "true", "false"};
};
template <> struct Words<ScalerPolicy> {
    static constexpr std::array<std::string_view, 6> list{
        "static", "pytorch", "hysteresis", "deepspeed", "fairseq", "smooth"};
};
template <> struct Words<HysteresisRefill> {
    static constexpr std::array<std::string_view, 2> list{"growth", "step"};
};

template <typename E> constexpr std::string_view word(E value)
{
    return Words<E>::list.at(static_cast<std::size_t>(value));
}

template <typename E> constexpr std::optional<E> fromWord(std::string_view text)
{
    for (std::size_t i = 0; i < Words<E>::list.size(); ++i) {
        if (Words<E>::list[i] == text)
            return static_cast<E>(i);
    }
    return std::nullopt;
}

template <typename E> std::vector<std::string_view> allWords()
{
    return {Words<E>::list.begin(), Words<E>::list.end()};
}

} // namespace mantissa
