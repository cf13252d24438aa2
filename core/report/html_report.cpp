// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/html_report.h"

#include "core/report/html_style.h"
#include "core/report/report_model.h"
#include "core/report/text_file.h"
#include "core/report/xml_text.h"

#include <fmt/format.h>

namespace mantissa {

namespace {

std::string paragraph(const std::string& classes, const std::string& text)
{
    return text.empty() ? "" : fmt::format("<p class=\"{}\">{}</p>\n", classes, escapeXml(text));
}

std::string head(const ReportModel& model)
{
    return fmt::format("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width\">\n"
                       "<title>{} - Mantissa report</title>\n<style>{}</style>\n</head>\n",
        escapeXml(model.title), kReportStyle);
}

std::string swatch(const ReportColumn& column)
{
    return fmt::format(
        "<span class=\"swatch {}\"></span>{}", column.colour, escapeXml(column.name));
}

std::string columnHeads(const ReportModel& model, const char* first)
{
    auto html = fmt::format("<thead><tr><th>{}</th>", first);
    for (const auto& column : model.columns)
        html += fmt::format("<th scope=\"col\">{}</th>", swatch(column));
    return html + "</tr></thead>\n";
}

std::string cell(const ReportCell& cell)
{
    const auto text = escapeXml(cell.text);
    if (cell.missing)
        return fmt::format("<td class=\"muted\">{}</td>", text);
    if (cell.note.empty())
        return fmt::format("<td>{}</td>", text);
    return fmt::format("<td>{} <span class=\"note\">{}</span></td>", text, escapeXml(cell.note));
}

std::string table(const ReportModel& model, const std::vector<ReportRow>& rows, const char* first)
{
    auto html = "<table class=\"figures\">" + columnHeads(model, first) + "<tbody>\n";
    for (const auto& row : rows) {
        html += fmt::format("<tr><th scope=\"row\">{}</th>", escapeXml(row.label));
        for (const auto& entry : row.cells)
            html += cell(entry);
        html += "</tr>\n";
    }
    return html + "</tbody></table>\n";
}

std::string warnings(const ReportModel& model)
{
    if (model.warnings.empty())
        return {};
    std::string html = "<section class=\"warnings\"><ul>\n";
    for (const auto& warning : model.warnings)
        html += fmt::format("<li>{}</li>\n", escapeXml(warning));
    return html + "</ul></section>\n";
}

std::string result(const ReportModel& model)
{
    auto html = "<section><h2>Result</h2>\n" + paragraph("verdict", model.verdict)
        + table(model, model.metrics, "");
    if (model.columns.size() > 1) {
        html += paragraph("muted",
            "Beside each figure: its ratio to, or difference from, the baseline "
                + model.columns.front().name
                + ". The first 10 steps of each block are warm-up and not in the medians; peak "
                  "memory is the highest after the first step.");
    }
    return html + "</section>\n";
}

std::string charts(const ReportModel& model)
{
    std::string html = "<section class=\"charts long\">\n";
    for (std::size_t i = 0; i < model.charts.size(); ++i) {
        html += "<figure>" + renderSvg(model.charts[i], fmt::format("c{}", i));
        if (!model.charts[i].note.empty())
            html += fmt::format("<figcaption>{}</figcaption>", escapeXml(model.charts[i].note));
        html += "</figure>\n";
    }
    return html + "</section>\n";
}

std::string system(const ReportModel& model)
{
    if (model.system.empty())
        return {};
    return "<section class=\"long\"><h2>The machine meanwhile</h2>\n"
        + table(model, model.system, "")
        + paragraph("muted",
            "Sampled while each run had its turn. CPU is of all usable cores. Energy is of the "
            "whole processor or board, whatever used it; validation is in it.")
        + "</section>\n";
}

std::string factList(const std::vector<ReportFact>& facts)
{
    std::string html = "<div class=\"facts\">\n";
    for (const auto& fact : facts) {
        html += fmt::format("<div><span class=\"muted\">{}</span><span>{}</span></div>\n",
            escapeXml(fact.key), escapeXml(fact.value));
    }
    return html + "</div>\n";
}

/// Differences first: they are what a reader looks for.
std::string facts(const ReportModel& model, const ReportFacts& facts, const char* title,
    const char* sharedTitle, const char* noneDiffer)
{
    auto html = fmt::format("<section class=\"long\"><h2>{}</h2>\n", title);
    if (model.columns.size() > 1 && facts.different.empty())
        html += paragraph("muted", noneDiffer);
    if (!facts.different.empty())
        html += table(model, facts.different, "what differs");
    if (!facts.shared.empty() && model.columns.size() > 1)
        html += fmt::format("<h2>{}</h2>\n", sharedTitle);
    return html + factList(facts.shared) + "</section>\n";
}

std::string events(const ReportModel& model)
{
    std::string html = "<section class=\"long\"><h2>Events</h2>\n";
    if (model.events.empty())
        return html + "<p class=\"muted\">Nothing to report.</p></section>\n";
    html += "<table><thead><tr><th>Variant</th><th>Time</th><th>Step</th><th>Kind</th>"
            "<th>What</th></tr></thead><tbody>\n";
    for (const auto& event : model.events) {
        html += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
            swatch(model.columns[event.column]), escapeXml(event.time), escapeXml(event.step),
            escapeXml(event.kind), escapeXml(event.message));
    }
    return html + "</tbody></table></section>\n";
}

} // namespace

Result<std::string> renderHtmlReport(const RunStore& store, const std::vector<std::int64_t>& runs)
{
    const auto model = buildReport(store, runs);
    if (!model)
        return tl::unexpected(model.error());
    return head(*model) + "<body><main>\n<header>\n"
        + fmt::format("<h1>{}</h1>\n", escapeXml(model->title))
        + paragraph("muted", model->subtitle) + paragraph("", model->description) + "</header>\n"
        + warnings(*model) + result(*model) + charts(*model) + system(*model)
        + facts(*model, model->settings, "What was asked", "Settings that all share",
            "No setting differs.")
        + facts(*model, model->environment, "Machine and environment", "Environment that all share",
            "No environment differs.")
        + events(*model) + "</main></body>\n</html>\n";
}

Result<void> writeHtmlReport(
    const RunStore& store, const std::vector<std::int64_t>& runs, const std::filesystem::path& file)
{
    const auto html = renderHtmlReport(store, runs);
    if (!html)
        return tl::unexpected(html.error());
    return writeTextFile(file, *html);
}

} // namespace mantissa
