// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/table_split.h"

#include "core/engine/sample_hash.h"

#include <cmath>
#include <fmt/format.h>

namespace mantissa {

namespace {

struct Moments {
    double mean = 0;
    double deviation = 1; ///< 1 for a constant column, which then is 0 everywhere
};

/// Whether a row is for validation. The same rows for every seed: what is measured stays the same.
bool isHeldBack(std::int64_t row, double share)
{
    return std::ldexp(static_cast<double>(mixed(static_cast<std::uint64_t>(row)) >> 11), -53)
        < share;
}

/// Of the rows in `rows`, `values` being `stride` numbers a row.
Moments momentsOf(const std::vector<double>& values, std::int64_t stride, std::int64_t column,
    const std::vector<std::int64_t>& rows)
{
    Moments moments;
    const auto at = [&](std::int64_t row) {
        return values[static_cast<std::size_t>(row * stride + column)];
    };
    const auto count = static_cast<double>(rows.size());
    for (const auto row : rows)
        moments.mean += at(row);
    moments.mean /= count;
    double square = 0;
    for (const auto row : rows)
        square += (at(row) - moments.mean) * (at(row) - moments.mean) / count;
    // What rounding alone leaves of a constant column is no deviation.
    if (std::sqrt(square) > 1e-12 * std::abs(moments.mean))
        moments.deviation = std::sqrt(square);
    return moments;
}

TableSet setOf(const CsvTable& table, const std::vector<std::int64_t>& rows,
    const std::vector<Moments>& features, const Moments& target)
{
    TableSet set;
    set.count = static_cast<std::int64_t>(rows.size());
    set.features = static_cast<std::int64_t>(features.size());
    for (const auto row : rows) {
        for (std::size_t i = 0; i < features.size(); ++i) {
            const auto value = table.values[static_cast<std::size_t>(row) * features.size() + i];
            set.values.push_back(
                static_cast<float>((value - features[i].mean) / features[i].deviation));
        }
        set.targets.push_back(static_cast<float>(
            (table.targets[static_cast<std::size_t>(row)] - target.mean) / target.deviation));
    }
    return set;
}

} // namespace

Result<Dataset> splitTable(const CsvTable& table, const DataConfig& config)
{
    std::vector<std::int64_t> train;
    std::vector<std::int64_t> validation;
    for (std::int64_t row = 0; row < table.rows; ++row)
        (isHeldBack(row, config.validationShare) ? validation : train).push_back(row);
    if (train.empty() || validation.empty())
        return fail(fmt::format("{} has {} rows, of which {} are for training and {} for "
                                "validation: both need some; see data.validation_share",
            config.path, table.rows, train.size(), validation.size()));
    const auto columns = static_cast<std::int64_t>(table.features.size());
    std::vector<Moments> features;
    for (std::int64_t column = 0; column < columns; ++column)
        features.push_back(momentsOf(table.values, columns, column, train));
    const bool isClass = !table.classes.empty();
    const auto target = isClass ? Moments{} : momentsOf(table.targets, 1, 0, train);
    Dataset data;
    data.target = isClass ? TargetKind::Class : TargetKind::Value;
    data.classes = static_cast<std::int64_t>(table.classes.size());
    data.trainRows = setOf(table, train, features, target);
    data.validationRows = setOf(table, validation, features, target);
    data.origin = config.path;
    data.details = {{"target", table.target}, {"features", table.features},
        {"standardised", "each column by the training rows' mean and deviation"},
        {"validation_part", "rows chosen by a hash of their number"}};
    if (isClass)
        data.details["class_names"] = table.classes;
    else
        data.details["target_deviation"] = target.deviation;
    return data;
}

} // namespace mantissa
