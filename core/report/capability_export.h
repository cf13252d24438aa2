// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hardware/capability.h"

#include <filesystem>

namespace mantissa {

/// The card as a Markdown document: device, table work x format, theory, advice, facts.
std::string cardMarkdown(const CapabilityCard& card);
/// The same as one self-contained HTML file, as reports are.
std::string cardHtml(const CapabilityCard& card);
/// toJson(card) with "advice": [{"headline", "reason", "against_rule"}], indented.
std::string cardJson(const CapabilityCard& card);
/// An Error where writeCard() does not know the file's suffix.
[[nodiscard]] Result<void> checkCardFile(const std::filesystem::path& file);
/// Writes .json, .html or .md by the file's suffix; another suffix is an Error that lists these.
[[nodiscard]] Result<void> writeCard(const CapabilityCard& card, const std::filesystem::path& file);

} // namespace mantissa
