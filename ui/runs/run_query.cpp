// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/run_query.h"

#include "core/base/number_text.h"

#include <QStringList>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

namespace mantissa::ui {

namespace {

/// A term as written: `-key:value`.
struct Word {
    bool negated = false;
    QString key; ///< empty for free text
    QString value;
    QString written;
};

enum class FieldKind { Number, Exact, Part };

using Values = std::function<QStringList(const RunRecord&)>;
using Number = std::function<RunValue(const RunRecord&)>;

struct Field {
    const char* name;
    FieldKind kind;
    Number number; ///< of a Number field
    Values values; ///< of the others, lower case
};

RunValue plain(double number)
{
    return {RunValue::Class::Value, number, {}};
}

Number column(RunColumn id)
{
    return [id](const RunRecord& run) { return value(run, id); };
}

Values one(std::string RunRecord::*member)
{
    return [member](const RunRecord& run) {
        const QString text = toQString(run.*member).toLower();
        return text.isEmpty() ? QStringList() : QStringList(text);
    };
}

QStringList lowerTags(const RunRecord& run)
{
    QStringList tags;
    for (const auto& tag : run.tags)
        tags.append(toQString(tag).toLower());
    return tags;
}

QStringList stateWord(const RunRecord& run)
{
    return {toQString(toString(run.state))};
}

QStringList archivedWord(const RunRecord& run)
{
    return {run.archived ? QStringLiteral("yes") : QStringLiteral("no")};
}

std::vector<Field> numberFields()
{
    const auto number = [](const char* name, Number of) {
        return Field{name, FieldKind::Number, std::move(of), {}};
    };
    return {
        number("id", column(RunColumn::Id)),
        number("comparison",
            [](const RunRecord& run) { return plain(static_cast<double>(run.comparisonId)); }),
        number("seed", [](const RunRecord& run) { return plain(static_cast<double>(run.seed)); }),
        number("repetition", [](const RunRecord& run) { return plain(run.repetition + 1); }),
        number("duration", column(RunColumn::Duration)),
        number("steps", column(RunColumn::Steps)),
        number("applied",
            [](const RunRecord& run) { return plain(static_cast<double>(run.stepsApplied)); }),
        number("skipped",
            [](const RunRecord& run) { return plain(static_cast<double>(run.stepsSkipped)); }),
        number("loss", column(RunColumn::Loss)),
        number("validation",
            [](const RunRecord& run) {
                RunValue share = value(run, RunColumn::Metric);
                share.number *= 100.0;
                return share;
            }),
        number("step_ms", column(RunColumn::StepMs)),
        number("samples_per_second", column(RunColumn::SamplesPerSecond)),
        number("memory", column(RunColumn::PeakMemory)),
        number("scale", column(RunColumn::Scale)),
    };
}

std::vector<Field> makeFields()
{
    std::vector<Field> fields = numberFields();
    fields.push_back({"experiment", FieldKind::Part, {}, one(&RunRecord::experiment)});
    fields.push_back({"variant", FieldKind::Part, {}, one(&RunRecord::variant)});
    fields.push_back({"note", FieldKind::Part, {}, one(&RunRecord::note)});
    fields.push_back({"reason", FieldKind::Part, {}, one(&RunRecord::reason)});
    fields.push_back({"precision", FieldKind::Exact, {}, one(&RunRecord::precision)});
    fields.push_back({"state", FieldKind::Exact, {}, stateWord});
    fields.push_back({"tag", FieldKind::Exact, {}, lowerTags});
    fields.push_back({"archived", FieldKind::Exact, {}, archivedWord});
    return fields;
}

const std::vector<Field>& fields()
{
    static const std::vector<Field> all = makeFields();
    return all;
}

QString fieldNames()
{
    QStringList names;
    for (const auto& field : fields())
        names.append(QString::fromUtf8(field.name));
    names.sort();
    return names.join(QStringLiteral(", "));
}

/// Reads the word that begins at `at`, up to a space outside quotes; `at` is then behind it.
Result<Word> readWord(const QString& text, qsizetype& at)
{
    Word word;
    const qsizetype begin = at;
    if (text.at(at) == QLatin1Char('-') && at + 1 < text.size() && !text.at(at + 1).isSpace()) {
        word.negated = true;
        ++at;
    }
    const qsizetype first = at;
    // A word that begins with a quote has no key: its colon is text.
    bool keyPossible = text.at(first) != QLatin1Char('"');
    bool quoted = false;
    for (; at < text.size() && (quoted || !text.at(at).isSpace()); ++at) {
        const QChar c = text.at(at);
        if (c == QLatin1Char('"')) {
            quoted = !quoted;
        } else if (c == QLatin1Char(':') && keyPossible && !quoted && at > first) {
            keyPossible = false;
            word.key = word.value.toLower();
            word.value.clear();
        } else {
            word.value += c.toLower();
        }
    }
    word.written = text.mid(begin, at - begin);
    if (quoted)
        return fail(word.written.toStdString() + ": the quotation mark is not closed");
    return word;
}

Result<std::vector<Word>> splitWords(const QString& text)
{
    std::vector<Word> words;
    for (qsizetype at = 0; at < text.size();) {
        if (text.at(at).isSpace()) {
            ++at;
            continue;
        }
        auto word = readWord(text, at);
        if (!word)
            return tl::unexpected(word.error());
        words.push_back(std::move(*word));
    }
    return words;
}

std::optional<double> number(const QString& text)
{
    return parseDouble(text.trimmed().remove(QLatin1Char(',')).toStdString());
}

using ValueTest = std::function<bool(const RunValue&)>;

ValueTest inRange(double low, double high, bool lowOpen = false, bool highOpen = false)
{
    return [=](const RunValue& v) {
        return v.kind == RunValue::Class::Value && (lowOpen ? v.number > low : v.number >= low)
            && (highOpen ? v.number < high : v.number <= high);
    };
}

/// `text` is one of: nan, none, <x, <=x, >x, >=x, =x, x, a..b
std::optional<ValueTest> numberTest(const QString& text)
{
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (text == QStringLiteral("nan"))
        return [](const RunValue& v) { return v.kind == RunValue::Class::NaN; };
    if (text == QStringLiteral("none"))
        return [](const RunValue& v) { return v.kind == RunValue::Class::Missing; };
    const qsizetype dots = text.indexOf(QStringLiteral(".."));
    if (dots > 0) {
        const auto low = number(text.left(dots));
        const auto high = number(text.mid(dots + 2));
        if (!low || !high || std::isnan(*low) || std::isnan(*high))
            return std::nullopt;
        return inRange(*low, *high);
    }
    const bool less = text.startsWith(QLatin1Char('<'));
    const bool greater = text.startsWith(QLatin1Char('>'));
    const bool orEqual = (less || greater) && text.size() > 1 && text.at(1) == QLatin1Char('=');
    const bool equal = text.startsWith(QLatin1Char('='));
    const auto x = number(text.mid(orEqual ? 2 : (less || greater || equal) ? 1 : 0));
    if (!x || std::isnan(*x))
        return std::nullopt;
    if (less)
        return inRange(-kInfinity, *x, false, !orEqual);
    if (greater)
        return inRange(*x, kInfinity, !orEqual, false);
    return inRange(*x, *x);
}

tl::unexpected<Error> badNumber(const Word& word)
{
    return fail(word.written.toStdString()
        + ": not a number; allowed: 0.3, <0.3, <=0.3, >0.3, >=0.3, 0.1..0.3, nan, none");
}

Result<std::function<bool(const RunRecord&)>> numberTerm(const Field& field, const Word& word)
{
    std::vector<ValueTest> tests;
    // A comma separates alternatives; a thousands comma has three digits behind it and is rare
    // enough in a filter to be left out.
    for (const QString& part : word.value.split(QLatin1Char(','))) {
        auto test = numberTest(part);
        if (!test)
            return badNumber(word);
        tests.push_back(std::move(*test));
    }
    return [of = field.number, tests = std::move(tests)](const RunRecord& run) {
        const RunValue v = of(run);
        return std::any_of(tests.begin(), tests.end(), [&v](const auto& test) { return test(v); });
    };
}

bool textMatches(const QStringList& values, const QString& wanted, FieldKind kind)
{
    if (wanted == QStringLiteral("none") && values.isEmpty())
        return true;
    return std::any_of(values.begin(), values.end(), [&](const QString& v) {
        return kind == FieldKind::Exact ? v == wanted : v.contains(wanted);
    });
}

std::function<bool(const RunRecord&)> textTerm(const Field& field, const QStringList& wanted)
{
    return [of = field.values, kind = field.kind, wanted](const RunRecord& run) {
        const QStringList values = of(run);
        return std::any_of(wanted.begin(), wanted.end(),
            [&](const QString& part) { return textMatches(values, part, kind); });
    };
}

QStringList stateWords()
{
    QStringList words;
    for (int s = 0; s <= static_cast<int>(RunState::Interrupted); ++s)
        words.append(toQString(toString(static_cast<RunState>(s))));
    return words;
}

/// The choices of a field that has a fixed set of them, else nothing.
QStringList choices(const Field& field)
{
    const QString name = QString::fromUtf8(field.name);
    if (name == QStringLiteral("state"))
        return stateWords();
    if (name == QStringLiteral("archived"))
        return {QStringLiteral("yes"), QStringLiteral("no")};
    return {};
}

Result<std::function<bool(const RunRecord&)>> keyTerm(const Word& word)
{
    const auto& all = fields();
    const auto field = std::find_if(all.begin(), all.end(),
        [&](const Field& f) { return word.key == QString::fromUtf8(f.name); });
    if (field == all.end()) {
        return fail("no field \"" + word.key.toStdString()
            + "\"; fields: " + fieldNames().toStdString() + "; quote it to search the text");
    }
    const QStringList parts = word.value.split(QLatin1Char(','));
    if (parts.contains(QString()))
        return fail(word.written.toStdString() + ": a value is missing after the colon or comma");
    if (field->kind == FieldKind::Number)
        return numberTerm(*field, word);
    const QStringList allowed = choices(*field);
    for (const QString& part : parts) {
        if (!allowed.isEmpty() && !allowed.contains(part))
            return fail(word.written.toStdString()
                + ": allowed: " + allowed.join(QStringLiteral(", ")).toStdString());
    }
    return textTerm(*field, parts);
}

bool containsText(const RunRecord& run, const QString& wanted)
{
    for (const auto* text :
        {&run.experiment, &run.variant, &run.precision, &run.reason, &run.note}) {
        if (toQString(*text).contains(wanted, Qt::CaseInsensitive))
            return true;
    }
    if (toQString(toString(run.state)).contains(wanted))
        return true;
    const QStringList tags = lowerTags(run);
    return std::any_of(
        tags.begin(), tags.end(), [&](const QString& tag) { return tag.contains(wanted); });
}

} // namespace

Result<RunQuery> RunQuery::parse(const QString& text)
{
    const auto words = splitWords(text);
    if (!words)
        return tl::unexpected(words.error());
    RunQuery filter;
    for (const Word& word : *words) {
        Term term;
        if (word.key.isEmpty()) {
            term = [wanted = word.value](
                       const RunRecord& run) { return containsText(run, wanted); };
        } else {
            auto parsed = keyTerm(word);
            if (!parsed)
                return tl::unexpected(parsed.error());
            term = std::move(*parsed);
        }
        if (word.negated)
            term = [positive = std::move(term)](const RunRecord& run) { return !positive(run); };
        filter.m_terms.push_back(std::move(term));
    }
    return filter;
}

bool RunQuery::matches(const RunRecord& run) const
{
    return std::all_of(
        m_terms.begin(), m_terms.end(), [&run](const Term& term) { return term(run); });
}

QString RunQuery::help()
{
    return QStringLiteral(
               "<p>Runs that pass every term, separated by spaces:</p><table>"
               "<tr><td><b>cnn</b></td><td>text anywhere</td></tr>"
               "<tr><td><b>\"two words\"</b></td><td>text with a space or colon</td></tr>"
               "<tr><td><b>precision:fp16</b></td><td>a field</td></tr>"
               "<tr><td><b>state:failed,killed</b></td><td>one of several</td></tr>"
               "<tr><td><b>loss:&lt;0.3 steps:&gt;=100 id:3..9</b></td>"
               "<td>numbers in the table's units</td></tr>"
               "<tr><td><b>loss:nan scale:none</b></td>"
               "<td>not a number; not measured</td></tr>"
               "<tr><td><b>-tag:old</b></td><td>not</td></tr></table><p>Fields: ")
        + fieldNames() + QStringLiteral("</p>");
}

} // namespace mantissa::ui
