// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "ui/runs/run_columns.h"

#include <QString>
#include <functional>
#include <vector>

namespace mantissa::ui {

/// The language of the filter box. Terms are separated by spaces; a run passes if it passes all.
///
///     cnn                    the text, anywhere in experiment, variant, precision, state, reason,
///                            tags or note
///     "two words"            the same with a space or a colon in it
///     precision:fp16         exactly, as for state, tag and archived; experiment, variant, note
///                            and reason ask for a part of the text
///     state:failed,killed    one of several
///     loss:<0.3 steps:>=100 id:3..9   numbers, in the table's units; also = and single values
///     loss:nan  scale:none   not a number; not measured
///     -tag:old               not
///
/// Upper and lower case are the same.
class RunQuery {
public:
    /// Lets everything pass.
    RunQuery() = default;
    /// An Error names the term and what is allowed.
    [[nodiscard]] static Result<RunQuery> parse(const QString& text);

    bool matches(const RunRecord& run) const;
    bool isEmpty() const { return m_terms.empty(); }

    /// The same explanation for a tooltip, in simple HTML.
    static QString help();

private:
    using Term = std::function<bool(const RunRecord&)>;
    std::vector<Term> m_terms;
};

} // namespace mantissa::ui
