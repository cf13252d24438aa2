// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/capability_export.h"

#include "core/base/human_text.h"
#include "core/hardware/format_advice.h"
#include "core/report/html_style.h"
#include "core/report/text_file.h"
#include "core/report/xml_text.h"

#include <array>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>

namespace mantissa {

namespace {

/// A document's parts, written by either of the two renderers.
class Document {
public:
    virtual ~Document() = default;
    virtual void heading(const std::string& text) = 0;
    virtual void paragraph(const std::string& text) = 0;
    virtual void table(const std::vector<std::string>& heads,
        const std::vector<std::vector<std::string>>& rows) = 0;
    virtual void list(const std::vector<std::pair<std::string, std::string>>& items) = 0;

    std::string text;
};

std::string escapeMarkdown(const std::string& text)
{
    std::string escaped;
    for (const char c : text) {
        if (c == '|' || c == '*' || c == '_' || c == '<' || c == '`' || c == '\\')
            escaped += '\\';
        escaped += c == '\n' ? ' ' : c;
    }
    return escaped;
}

class Markdown : public Document {
public:
    void heading(const std::string& words) override
    {
        text += fmt::format("\n## {}\n\n", escapeMarkdown(words));
    }
    void paragraph(const std::string& words) override
    {
        text += fmt::format("{}\n\n", escapeMarkdown(words));
    }
    void table(const std::vector<std::string>& heads,
        const std::vector<std::vector<std::string>>& rows) override
    {
        row(heads);
        text += "|";
        for (std::size_t i = 0; i < heads.size(); ++i)
            text += i == 0 ? " --- |" : " ---: |";
        text += "\n";
        for (const auto& cells : rows)
            row(cells);
        text += "\n";
    }
    void list(const std::vector<std::pair<std::string, std::string>>& items) override
    {
        for (const auto& [key, value] : items)
            text += fmt::format("- **{}** {}\n", escapeMarkdown(key), escapeMarkdown(value));
    }

private:
    void row(const std::vector<std::string>& cells)
    {
        text += "|";
        for (const auto& cell : cells)
            text += fmt::format(" {} |", escapeMarkdown(cell));
        text += "\n";
    }
};

class Html : public Document {
public:
    void heading(const std::string& words) override
    {
        if (m_open)
            text += "</section>\n";
        m_open = true;
        text += fmt::format("<section class=\"long\"><h2>{}</h2>\n", escapeXml(words));
    }
    void paragraph(const std::string& words) override
    {
        text += fmt::format("<p>{}</p>\n", escapeXml(words));
    }
    void table(const std::vector<std::string>& heads,
        const std::vector<std::vector<std::string>>& rows) override
    {
        text += "<table class=\"figures\"><thead><tr>";
        for (const auto& head : heads)
            text += fmt::format("<th scope=\"col\">{}</th>", escapeXml(head));
        text += "</tr></thead><tbody>\n";
        for (const auto& cells : rows) {
            text += fmt::format("<tr><th scope=\"row\">{}</th>", escapeXml(cells.front()));
            for (std::size_t i = 1; i < cells.size(); ++i)
                text += fmt::format("<td>{}</td>", escapeXml(cells[i]));
            text += "</tr>\n";
        }
        text += "</tbody></table>\n";
    }
    void list(const std::vector<std::pair<std::string, std::string>>& items) override
    {
        text += "<ul>\n";
        for (const auto& [key, value] : items)
            text += fmt::format("<li><b>{}</b> {}</li>\n", escapeXml(key), escapeXml(value));
        text += "</ul>\n";
    }
    void close()
    {
        if (m_open)
            text += "</section>\n";
    }

private:
    bool m_open = false;
};

std::string cellText(const CheckCell* cell)
{
    if (!cell)
        return "not measured";
    if (cell->points.empty())
        return fmt::format("unsupported: {}", cell->reason);
    const auto& point = cell->largest();
    auto text = fmt::format(
        "{}, {}", rateText(point.rate(), isBandwidth(cell->work)), durationText(point.ms.median));
    if (cell->format != CheckFormat::Fp64)
        text += fmt::format("; {}", toString(cell->formatClass));
    if (point.ratio && cell->format != CheckFormat::Fp32 && cell->format != CheckFormat::Fp64)
        text += fmt::format(", {}", speedText(*point.ratio));
    if (cell->maxError)
        text += fmt::format("; error {:.1e}", *cell->maxError);
    if (cell->cutShort)
        text += fmt::format("; only up to {}", point.shape);
    return text;
}

/// The largest shape of the row's fp32, or of any format.
std::string shapeOf(const CapabilityCard& card, CheckWork work)
{
    for (const auto format : {CheckFormat::Fp32, CheckFormat::Fp64, CheckFormat::Bf16}) {
        const auto* cell = card.find(work, format);
        if (cell && !cell->points.empty())
            return cell->largest().shape;
    }
    return {};
}

void addTable(Document& document, const CapabilityCard& card)
{
    std::vector<std::string> heads{"Work"};
    for (const auto format : kCheckFormats)
        heads.emplace_back(toString(format));
    std::vector<std::vector<std::string>> rows;
    for (const auto work : kCheckWorks) {
        std::vector<std::string> row{fmt::format("{}, {}", title(work), shapeOf(card, work))};
        for (const auto format : kCheckFormats)
            row.push_back(cellText(card.find(work, format)));
        rows.push_back(std::move(row));
    }
    document.heading("What was measured");
    document.table(heads, rows);
    document.paragraph("Medians; the class compares with fp32 at the same size; the error is the "
                       "largest deviation from fp64, relative to fp64's largest value.");
}

void addTheory(Document& document, const CapabilityCard& card)
{
    std::vector<std::vector<std::string>> rows;
    for (const auto& row : card.theory) {
        const auto share = row.utilisation();
        rows.push_back({row.bandwidth ? "memory" : std::string(toString(row.format)),
            rateText(row.measured, row.bandwidth),
            row.published ? rateText(*row.published, row.bandwidth) : "no published figure",
            !share           ? ""
                : *share > 1 ? fmt::format("{}: table error", percentText(*share))
                             : percentText(*share),
            row.source});
    }
    document.heading("Peak, measured and published");
    document.table({"", "Measured", "Published", "Share", "Source"}, rows);
}

std::string factText(const std::string& path, const nlohmann::json& value)
{
    if (value.is_null())
        return "none, or not readable";
    if (value.is_number() && path.ends_with("bytes"))
        return bytesText(value.get<double>());
    return value.is_string() ? value.get<std::string>() : value.dump();
}

void addFacts(Document& document, const nlohmann::json& json, const std::string& path,
    std::vector<std::vector<std::string>>& rows)
{
    if (json.is_object()) {
        for (const auto& [key, value] : json.items())
            addFacts(document, value, path.empty() ? key : fmt::format("{}/{}", path, key), rows);
        return;
    }
    rows.push_back({path, factText(path, json)});
}

void fill(Document& document, const CapabilityCard& card)
{
    const auto seconds = static_cast<std::time_t>(card.measuredMs / 1000);
    document.paragraph(fmt::format("Measured {:%Y-%m-%d %H:%M} on {} threads in {}{}. Timing's own "
                                   "test: {} off.",
        fmt::localtime(seconds), card.threads, durationText(card.seconds * 1000),
        card.quick ? " (quick)" : "", percentText(card.clock.difference())));
    document.heading("Advice");
    std::vector<std::pair<std::string, std::string>> advice;
    for (const auto& entry : adviceFor(card))
        advice.emplace_back(entry.headline, entry.reason);
    document.list(advice);
    addTable(document, card);
    addTheory(document, card);
    std::vector<std::vector<std::string>> facts;
    addFacts(document, card.facts, {}, facts);
    document.heading("Device and software");
    document.table({"Fact", "Value"}, facts);
}

nlohmann::json withAdvice(const CapabilityCard& card)
{
    auto json = toJson(card);
    json["advice"] = nlohmann::json::array();
    for (const auto& advice : adviceFor(card))
        json["advice"].push_back({{"headline", advice.headline}, {"reason", advice.reason},
            {"against_rule", advice.againstRule}});
    return json;
}

} // namespace

std::string cardMarkdown(const CapabilityCard& card)
{
    Markdown document;
    document.text = fmt::format("# {} ({})\n\n", escapeMarkdown(card.device.name), card.device.id);
    fill(document, card);
    return document.text;
}

std::string cardHtml(const CapabilityCard& card)
{
    Html document;
    const auto title = fmt::format("{} ({})", card.device.name, card.device.id);
    document.text =
        fmt::format("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                    "<meta name=\"viewport\" content=\"width=device-width\">\n"
                    "<title>{0} - Mantissa hardware check</title>\n<style>{1}</style>\n</head>\n"
                    "<body><main>\n<h1>{0}</h1>\n",
            escapeXml(title), kReportStyle);
    fill(document, card);
    document.close();
    document.text += "</main></body>\n</html>\n";
    return document.text;
}

std::string cardJson(const CapabilityCard& card)
{
    return withAdvice(card).dump(2) + "\n";
}

Result<void> checkCardFile(const std::filesystem::path& file)
{
    const auto suffix = file.extension();
    if (suffix == ".json" || suffix == ".html" || suffix == ".md")
        return {};
    return fail(
        fmt::format("{}: a hardware check is written as .json, .html or .md", file.string()));
}

Result<void> writeCard(const CapabilityCard& card, const std::filesystem::path& file)
{
    if (auto known = checkCardFile(file); !known)
        return known;
    const auto suffix = file.extension();
    return writeTextFile(file,
        suffix == ".json"       ? cardJson(card)
            : suffix == ".html" ? cardHtml(card)
                                : cardMarkdown(card));
}

} // namespace mantissa
