// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/atomic_file.h"
#include "core/weights/safetensors.h"
#include "core/weights/safetensors_checksum.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <zlib.h>

namespace mantissa {

namespace {

constexpr std::size_t kAlignment = 8;

std::vector<const TensorBytes*> laidOut(const std::vector<TensorBytes>& tensors)
{
    std::vector<const TensorBytes*> order;
    for (const auto& tensor : tensors)
        order.push_back(&tensor);
    std::ranges::stable_sort(order, [](const TensorBytes* a, const TensorBytes* b) {
        return bytesOf(a->type) > bytesOf(b->type);
    });
    return order;
}

std::string headerText(
    const std::vector<const TensorBytes*>& tensors, const SafetensorsOptions& options)
{
    auto header = nlohmann::ordered_json::object();
    auto metadata = options.metadata;
    if (options.checksum)
        metadata[std::string(kChecksumKey)] = kNoChecksum;
    if (!metadata.empty())
        header["__metadata__"] = metadata;
    std::size_t begin = 0;
    for (const auto* tensor : tensors) {
        const auto end = begin + tensor->bytes.size();
        header[tensor->name] = {{"dtype", toString(tensor->type)}, {"shape", tensor->sizes},
            {"data_offsets", {begin, end}}};
        begin = end;
    }
    auto text = header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    text.resize((text.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
    return text;
}

} // namespace

void Crc32::add(std::span<const std::byte> bytes)
{
    m_value = static_cast<std::uint32_t>(
        crc32_z(m_value, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::string Crc32::digits() const
{
    return fmt::format("{:08x}", m_value);
}

std::optional<std::size_t> checksumPosition(std::string_view header)
{
    const auto key = fmt::format("\"{}\":\"", kChecksumKey);
    const auto at = header.find(key);
    // A quote within a text is written \" and so cannot look like the key.
    if (at == std::string_view::npos || at + key.size() + kNoChecksum.size() >= header.size())
        return std::nullopt;
    return at + key.size();
}

Result<void> writeSafetensors(const std::filesystem::path& file,
    const std::vector<TensorBytes>& tensors, const SafetensorsOptions& options)
{
    const auto order = laidOut(tensors);
    auto text = headerText(order, options);
    const std::uint64_t length = text.size();
    std::vector<std::span<const std::byte>> parts{
        std::as_bytes(std::span(&length, 1)), std::as_bytes(std::span(text))};
    for (const auto* tensor : order)
        parts.push_back(tensor->bytes);
    if (options.checksum) {
        Crc32 sum;
        for (const auto part : parts)
            sum.add(part);
        text.replace(*checksumPosition(text), kNoChecksum.size(), sum.digits());
    }
    return writeAtomically(file, parts);
}

} // namespace mantissa
