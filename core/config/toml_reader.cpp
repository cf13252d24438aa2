// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/toml_value.h"

#include <algorithm>
#include <fmt/format.h>

namespace mantissa {

namespace {

constexpr std::size_t kLongestShownValue = 60;

std::vector<std::string_view> splitLines(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (true) {
        const auto end = text.find('\n');
        lines.push_back(text.substr(0, end));
        if (end == std::string_view::npos)
            return lines;
        text.remove_prefix(end + 1);
    }
}

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view kBlank = " \t\r";
    const auto first = text.find_first_not_of(kBlank);
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// Byte offset of the code point with this 1-based column; toml++ counts code points.
std::size_t offsetOfColumn(std::string_view line, std::size_t column)
{
    std::size_t at = 0;
    for (std::size_t seen = 1; at < line.size() && seen < column; ++seen) {
        ++at;
        while (at < line.size() && (static_cast<unsigned char>(line[at]) & 0xC0) == 0x80)
            ++at;
    }
    return at;
}

/// The key and value on a line that could not be parsed, as far as they can be told.
ConfigProblem syntaxProblem(
    const std::vector<std::string_view>& lines, const std::string& file, int line)
{
    ConfigProblem problem;
    problem.file = file;
    problem.line = line;
    if (line < 1 || static_cast<std::size_t>(line) > lines.size())
        return problem;
    const auto at = static_cast<std::size_t>(line) - 1;
    const auto text = trimmed(lines[at]);
    const auto equals = text.find('=');
    if (text.starts_with('[') || equals == std::string_view::npos) {
        problem.value = text.substr(0, kLongestShownValue);
        return problem;
    }
    std::string table;
    for (auto i = at; i > 0 && table.empty(); --i) {
        const auto above = trimmed(lines[i - 1]);
        if (above.starts_with('[') && !above.starts_with("[["))
            table = std::string(above.substr(1, above.find(']') - 1)) + ".";
        else if (above.starts_with("[["))
            table = std::string(above.substr(2, above.find(']') - 2)) + ".";
    }
    problem.key = table + std::string(trimmed(text.substr(0, equals)));
    problem.value = trimmed(text.substr(equals + 1)).substr(0, kLongestShownValue);
    return problem;
}

class TomlReader {
public:
    TomlReader(std::string_view text, const std::string& file)
        : m_lines(splitLines(text))
    {
        m_draft.file = file;
    }

    Draft read(std::string_view text)
    {
        try {
            const toml::table root = toml::parse(text);
            readRoot(root);
        } catch (const toml::parse_error& error) {
            const auto line = static_cast<int>(error.source().begin.line);
            auto problem = syntaxProblem(m_lines, m_draft.file, line);
            problem.message = fmt::format("is not valid TOML: {}", error.description());
            problem.allowed = "TOML 1.0";
            m_draft.problems.push_back(std::move(problem));
        }
        return std::move(m_draft);
    }

private:
    using Entry = std::pair<const toml::key*, const toml::node*>;

    /// The entries in the order of the file; toml++ sorts them by name.
    static std::vector<Entry> inFileOrder(const toml::table& table)
    {
        std::vector<Entry> entries;
        for (const auto& [key, node] : table)
            entries.emplace_back(&key, &node);
        std::ranges::stable_sort(entries, [](const Entry& a, const Entry& b) {
            const auto& left = a.first->source().begin;
            const auto& right = b.first->source().begin;
            return std::pair(left.line, left.column) < std::pair(right.line, right.column);
        });
        return entries;
    }

    std::string textOf(const toml::node& node) const
    {
        const auto& source = node.source();
        const auto first = static_cast<std::size_t>(source.begin.line);
        if (node.is_table() || first < 1 || first > m_lines.size())
            return {};
        const auto line = m_lines[first - 1];
        if (source.end.line != source.begin.line) {
            const auto raw = rawFromNode(node);
            return raw.value ? toTomlText(*raw.value) : "[...]";
        }
        const auto from = offsetOfColumn(line, source.begin.column);
        const auto to = offsetOfColumn(line, source.end.column);
        return std::string(trimmed(line.substr(from, to - from)));
    }

    Given placeOf(const toml::key& key, const toml::node& node, std::string path) const
    {
        Given place;
        place.key = std::move(path);
        place.text = textOf(node);
        place.file = m_draft.file;
        place.line = static_cast<int>(key.source().begin.line);
        return place;
    }

    void readRoot(const toml::table& root)
    {
        for (const auto& [key, node] : inFileOrder(root)) {
            const std::string name(key->str());
            const bool isGroup = std::ranges::count(schemaGroups(), name, &GroupSpec::name) > 0;
            if (name == "variant")
                readVariants(*key, *node);
            else if (isGroup)
                readGroup(*key, *node, name, m_draft.shared, std::nullopt);
            else
                readKey(*key, *node, name, experimentKeys(), m_draft.shared, std::nullopt);
        }
    }

    void readGroup(const toml::key& key, const toml::node& node, const std::string& group,
        Layer& layer, std::optional<std::size_t> variant)
    {
        const auto* table = node.as_table();
        if (!table) {
            auto problem = problemAt(key, node, group, variant);
            problem.message = fmt::format("must be a table, not {}", rawFromNode(node).kind);
            problem.allowed =
                fmt::format("[{0}] with its keys below, or dotted keys as {0}.key", group);
            m_draft.problems.push_back(std::move(problem));
            return;
        }
        for (const auto& [inner, value] : inFileOrder(*table)) {
            const auto path = fmt::format("{}.{}", group, inner->str());
            readKey(*inner, *value, path, schemaKeys(), layer, variant);
        }
    }

    ConfigProblem problemAt(const toml::key& key, const toml::node& node, const std::string& path,
        std::optional<std::size_t> variant) const
    {
        const auto place = placeOf(key, node, variant ? variantPath(*variant, path) : path);
        return {Severity::Error, place.file, place.line, place.key, place.text, {}, {}, {}};
    }

    void readKey(const toml::key& key, const toml::node& node, const std::string& path,
        const std::vector<KeySpec>& known, Layer& layer, std::optional<std::size_t> variant)
    {
        auto place = placeOf(key, node, variant ? variantPath(*variant, path) : path);
        const auto spec = std::ranges::find(known, path, &KeySpec::path);
        if (spec == known.end()) {
            m_draft.problems.push_back(unknownKey(place, path, variant.has_value()));
            return;
        }
        place.spec = &*spec;
        if (auto problem = variant ? sharedKeyProblem(place) : std::nullopt)
            m_draft.problems.push_back(std::move(*problem));
        else
            addGiven(layer, m_draft.problems, std::move(place), rawFromNode(node));
    }

    void readVariants(const toml::key& key, const toml::node& node)
    {
        const auto* array = node.as_array();
        const bool isList = array
            && std::ranges::all_of(*array, [](const toml::node& item) { return item.is_table(); });
        if (!isList) {
            auto problem = problemAt(key, node, "variant", std::nullopt);
            problem.message = "must be a list of tables";
            problem.allowed = "[[variant]] before the keys of each variant";
            problem.suggestion = "[[variant]]";
            m_draft.problems.push_back(std::move(problem));
            m_draft.variantsUnreadable = true;
            return;
        }
        for (const auto& item : *array)
            readVariant(*item.as_table());
    }

    void readVariant(const toml::table& table)
    {
        const auto index = m_draft.variants.size();
        VariantDraft variant;
        variant.line = static_cast<int>(table.source().begin.line);
        for (const auto& [key, node] : inFileOrder(table)) {
            const std::string name(key->str());
            const bool isGroup = std::ranges::count(schemaGroups(), name, &GroupSpec::name) > 0;
            if (isGroup)
                readGroup(*key, *node, name, variant.layer, index);
            else
                readVariantKey(*key, *node, name, variant.layer, index);
        }
        // Dotted keys of one group need not stand together.
        std::ranges::stable_sort(variant.layer.given, {}, &Given::line);
        m_draft.variants.push_back(std::move(variant));
    }

    void readVariantKey(const toml::key& key, const toml::node& node, const std::string& name,
        Layer& layer, std::size_t index)
    {
        // "train.lr" = 1e-3 with the whole path in quotes means the same as without them.
        const bool isQuotedPath = name.find('.') != std::string::npos;
        readKey(key, node, name, isQuotedPath ? schemaKeys() : variantKeys(), layer, index);
    }

    std::vector<std::string_view> m_lines;
    Draft m_draft;
};

} // namespace

Draft readToml(std::string_view text, const std::string& fileName)
{
    return TomlReader(text, fileName).read(text);
}

} // namespace mantissa
