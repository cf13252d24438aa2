// SPDX-License-Identifier: GPL-3.0-or-later
// The header as a stream of JSON tokens: no tree of it is ever built, and what does not belong
// there ends the reading at once.
#include "core/weights/safetensors.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_set>

namespace mantissa {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostDimensions = 64;
constexpr std::size_t kShownName = 100;

/// A name in a message, cut where it is endless.
std::string shownName(std::string_view name)
{
    return fmt::format(
        "\"{}{}\"", name.substr(0, kShownName), name.size() > kShownName ? "..." : "");
}

/// Takes the tokens of a header.
class HeaderReader : public nlohmann::json_sax<Json> {
public:
    SafetensorsHeader header;
    std::string error;

    bool start_object(std::size_t) override;
    bool end_object() override;
    bool key(std::string& text) override;
    bool start_array(std::size_t) override;
    bool end_array() override;
    bool string(std::string& text) override;
    bool number_unsigned(std::uint64_t value) override;
    bool number_integer(std::int64_t value) override
    {
        return refuse(fmt::format("the number {} is negative", value));
    }
    bool number_float(double, const std::string& text) override
    {
        return refuse(fmt::format("the number {} is not whole", text.substr(0, kShownName)));
    }
    bool null() override { return refuse("null does not belong there"); }
    bool boolean(bool) override { return refuse("true and false do not belong there"); }
    bool binary(Json::binary_t&) override { return refuse("binary values do not belong there"); }
    bool parse_error(std::size_t position, const std::string&, const Json::exception&) override
    {
        return refuse(fmt::format("it is no JSON from byte {} on", position));
    }

private:
    enum class At { Outside, Tensors, Metadata, Tensor, Sizes, Offsets, End };

    bool refuse(std::string why)
    {
        if (error.empty())
            error = std::move(why);
        return false;
    }
    bool endTensor();

    At m_at = At::Outside;
    std::string m_key; ///< the last key of the innermost object
    TensorEntry m_tensor;
    std::vector<std::uint64_t> m_offsets;
    bool m_hasType = false;
    bool m_hasSizes = false;
    std::unordered_set<std::string> m_names;
    bool m_hasMetadata = false;
};

bool HeaderReader::start_object(std::size_t)
{
    if (m_at == At::Outside) {
        m_at = At::Tensors;
        return true;
    }
    if (m_at != At::Tensors)
        return refuse("an object where none belongs");
    if (m_key == "__metadata__") {
        m_at = At::Metadata;
        return true;
    }
    m_at = At::Tensor;
    m_tensor = {};
    m_tensor.name = m_key;
    m_offsets.clear();
    m_hasType = m_hasSizes = false;
    return true;
}

bool HeaderReader::end_object()
{
    switch (m_at) {
    case At::Metadata:
        m_at = At::Tensors;
        return true;
    case At::Tensor:
        m_at = At::Tensors;
        return endTensor();
    default:
        m_at = At::End;
        return true;
    }
}

bool HeaderReader::endTensor()
{
    if (!m_hasType || !m_hasSizes || m_offsets.size() != 2)
        return refuse(
            fmt::format("tensor {} lacks dtype, shape or data_offsets", shownName(m_tensor.name)));
    m_tensor.begin = m_offsets[0];
    m_tensor.end = m_offsets[1];
    header.tensors.push_back(std::move(m_tensor));
    return true;
}

bool HeaderReader::key(std::string& text)
{
    if (m_at == At::Tensors && text == "__metadata__") {
        if (std::exchange(m_hasMetadata, true))
            return refuse("__metadata__ is there twice");
    } else if (m_at == At::Tensors && !m_names.insert(text).second) {
        return refuse(fmt::format("tensor {} is there twice", shownName(text)));
    } else if (m_at == At::Metadata && header.metadata.contains(text)) {
        return refuse(fmt::format("the metadata key {} is there twice", shownName(text)));
    } else if (m_at == At::Tensor && text != "dtype" && text != "shape" && text != "data_offsets") {
        return refuse(fmt::format(
            "tensor {} has an unknown key {}", shownName(m_tensor.name), shownName(text)));
    }
    m_key = std::move(text);
    return true;
}

bool HeaderReader::string(std::string& text)
{
    if (m_at == At::Metadata) {
        header.metadata.emplace(m_key, std::move(text));
        return true;
    }
    if (m_at != At::Tensor || m_key != "dtype" || m_hasType)
        return refuse(fmt::format("the text {} does not belong there", shownName(text)));
    const auto type = tensorTypeFromString(text);
    if (!type)
        return refuse(fmt::format("tensor {} is of the type {}, which is not known",
            shownName(m_tensor.name), shownName(text)));
    m_tensor.type = *type;
    m_hasType = true;
    return true;
}

bool HeaderReader::start_array(std::size_t)
{
    if (m_at == At::Tensor && m_key == "shape" && !m_hasSizes)
        m_at = At::Sizes;
    else if (m_at == At::Tensor && m_key == "data_offsets" && m_offsets.empty())
        m_at = At::Offsets;
    else
        return refuse("a list where none belongs");
    return true;
}

bool HeaderReader::end_array()
{
    m_hasSizes |= m_at == At::Sizes;
    m_at = At::Tensor;
    return true;
}

bool HeaderReader::number_unsigned(std::uint64_t value)
{
    constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (value > kLargest)
        return refuse(fmt::format("the number {} is too large", value));
    if (m_at == At::Offsets) {
        m_offsets.push_back(value);
        return m_offsets.size() <= 2
            || refuse(
                fmt::format("tensor {} has more than two data_offsets", shownName(m_tensor.name)));
    }
    if (m_at != At::Sizes)
        return refuse(fmt::format("the number {} does not belong there", value));
    m_tensor.sizes.push_back(static_cast<std::int64_t>(value));
    return m_tensor.sizes.size() <= kMostDimensions
        || refuse(fmt::format(
            "tensor {} has more than {} dimensions", shownName(m_tensor.name), kMostDimensions));
}

/// Bytes that a tensor's sizes and type ask for; nothing where that is over 2^63.
std::optional<std::uint64_t> bytesAsked(const TensorEntry& tensor)
{
    if (std::ranges::find(tensor.sizes, 0) != tensor.sizes.end())
        return 0;
    std::uint64_t bytes = bytesOf(tensor.type);
    for (const auto size : tensor.sizes) {
        if (bytes > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())
                / static_cast<std::uint64_t>(size))
            return std::nullopt;
        bytes *= static_cast<std::uint64_t>(size);
    }
    return bytes;
}

/// Every byte of the data belongs to exactly one tensor; `tensors` are sorted by their bytes.
std::string layoutProblem(const std::vector<TensorEntry>& tensors, std::uint64_t dataBytes)
{
    std::uint64_t end = 0;
    for (const auto& tensor : tensors) {
        if (tensor.begin > end)
            return fmt::format("there is a hole of {} bytes before tensor {}", tensor.begin - end,
                shownName(tensor.name));
        if (tensor.begin < end)
            return fmt::format("tensor {} overlaps the one before it", shownName(tensor.name));
        const auto asked = bytesAsked(tensor);
        if (tensor.end < tensor.begin || !asked || *asked != tensor.end - tensor.begin)
            return fmt::format("the sizes of tensor {} do not give its bytes {} to {}",
                shownName(tensor.name), tensor.begin, tensor.end);
        end = tensor.end;
    }
    if (end > dataBytes)
        return fmt::format(
            "the tensors take {} bytes, the file holds {}: it was cut off", end, dataBytes);
    if (end < dataBytes)
        return fmt::format("{} bytes at the file's end belong to no tensor", dataBytes - end);
    return {};
}

} // namespace

Result<SafetensorsHeader> parseSafetensorsHeader(std::string_view json, std::uint64_t dataBytes)
{
    HeaderReader reader;
    const bool whole = Json::sax_parse(json.begin(), json.end(), &reader);
    if (!whole || !reader.error.empty())
        return fail(reader.error.empty() ? "it is no JSON" : reader.error);
    auto& tensors = reader.header.tensors;
    std::ranges::stable_sort(tensors, [](const TensorEntry& a, const TensorEntry& b) {
        return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    if (auto problem = layoutProblem(tensors, dataBytes); !problem.empty())
        return fail(std::move(problem));
    return std::move(reader.header);
}

} // namespace mantissa
