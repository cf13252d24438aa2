// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/storage/run_store.h"

#include <QString>
#include <QStringList>
#include <nlohmann/json_fwd.hpp>
#include <utility>
#include <vector>

/// What is known about chosen runs, side by side, as text. Pure, any thread.
namespace mantissa::ui {

/// One fact: a key and its value in every run, in the runs' order.
struct DetailRow {
    QString key;
    QStringList values; ///< "none" where a run has none
    bool differs = false;
};

struct DetailSection {
    QString title; ///< "Run", "Result", "Settings", "Environment"
    std::vector<DetailRow> rows;
};

/// All sections of `runs`; the sections without rows are left out.
std::vector<DetailSection> runDetails(const std::vector<RunRecord>& runs);

/// Dotted path and text of every leaf, in the object's order; arrays of plain values are one leaf.
std::vector<std::pair<QString, QString>> flattened(const nlohmann::json& json);

/// How many of the rows differ, and how many are equal.
std::pair<int, int> differenceCounts(const std::vector<DetailSection>& sections);

} // namespace mantissa::ui
