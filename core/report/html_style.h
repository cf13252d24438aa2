// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace mantissa {

/// The style sheet of a report: light, dark by the reader's setting, and print.
extern const char* const kReportStyle;

} // namespace mantissa
