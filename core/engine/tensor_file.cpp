// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/tensor_file.h"

#include <ATen/ATen.h>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

namespace mantissa {

namespace {

constexpr std::array<std::pair<TensorType, at::ScalarType>, 10> kTypes{
    {{TensorType::F64, at::kDouble}, {TensorType::F32, at::kFloat}, {TensorType::F16, at::kHalf},
        {TensorType::Bf16, at::kBFloat16}, {TensorType::I64, at::kLong},
        {TensorType::I32, at::kInt}, {TensorType::I16, at::kShort}, {TensorType::I8, at::kChar},
        {TensorType::U8, at::kByte}, {TensorType::Bool, at::kBool}}};

std::optional<TensorType> fileType(at::ScalarType type)
{
    for (const auto& [ours, theirs] : kTypes) {
        if (theirs == type)
            return ours;
    }
    return std::nullopt;
}

std::optional<at::ScalarType> torchType(TensorType type)
{
    for (const auto& [ours, theirs] : kTypes) {
        if (ours == type)
            return theirs;
    }
    return std::nullopt;
}

std::string sizesText(at::IntArrayRef sizes)
{
    return fmt::format("{}", fmt::join(sizes.vec(), " x "));
}

/// "a, b, c, ..." for a message.
std::string someOf(const std::vector<std::string>& names)
{
    constexpr std::size_t kShown = 5;
    const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, names.size()));
    return fmt::format("{}{}", fmt::join(names.begin(), end, ", "),
        names.size() > kShown ? fmt::format(", ... ({} in all)", names.size()) : "");
}

} // namespace

void TensorFileWriter::add(const std::string& name, const at::Tensor& tensor)
{
    m_tensors.push_back({name, tensor.detach().to(at::kCPU).contiguous()});
}

void TensorFileWriter::add(const std::string& prefix, const std::vector<NamedTensor>& tensors)
{
    for (const auto& one : tensors)
        add(prefix + one.name, one.tensor);
}

Result<void> TensorFileWriter::write(
    const std::filesystem::path& file, const SafetensorsOptions& options) const
{
    std::vector<TensorBytes> parts;
    for (const auto& [name, tensor] : m_tensors) {
        const auto type = fileType(tensor.scalar_type());
        if (!type)
            return fail(fmt::format("{} is of the type {}, which a safetensors file does not hold",
                name, c10::toString(tensor.scalar_type())));
        parts.push_back({name, *type, tensor.sizes().vec(),
            {static_cast<const std::byte*>(tensor.const_data_ptr()), tensor.nbytes()}});
    }
    return writeSafetensors(file, parts, options);
}

TensorFileReader::TensorFileReader(SafetensorsFile file, std::string name)
    : m_file(std::move(file))
    , m_name(std::move(name))
{
}

Result<TensorFileReader> TensorFileReader::open(const std::filesystem::path& file)
{
    auto opened = SafetensorsFile::open(file);
    if (!opened)
        return tl::unexpected(opened.error());
    return TensorFileReader(std::move(*opened), file.string());
}

std::vector<std::string> TensorFileReader::unread() const
{
    std::vector<std::string> names;
    for (const auto& entry : m_file.tensors()) {
        if (!m_read.contains(entry.name))
            names.push_back(entry.name);
    }
    return names;
}

Result<at::Tensor> TensorFileReader::read(const std::string& name, at::IntArrayRef sizes)
{
    const auto* entry = m_file.find(name);
    if (!entry)
        return fail(fmt::format("{} has no tensor {}", m_name, name));
    if (at::IntArrayRef(entry->sizes) != sizes)
        return fail(fmt::format("tensor {} of {} has the sizes {}, needed are {}", name, m_name,
            sizesText(entry->sizes), sizesText(sizes)));
    const auto type = torchType(entry->type);
    if (!type)
        return fail(fmt::format("tensor {} of {} is of the type {}, which cannot be read", name,
            m_name, toString(entry->type)));
    auto tensor = at::empty(entry->sizes, at::TensorOptions(*type));
    const std::span buffer(static_cast<std::byte*>(tensor.mutable_data_ptr()), tensor.nbytes());
    if (auto got = m_file.read(*entry, buffer); !got)
        return tl::unexpected(got.error());
    m_read.insert(name);
    return tensor;
}

Result<void> TensorFileReader::load(const std::string& name, at::Tensor tensor)
{
    const auto values = read(name, tensor.sizes());
    if (!values)
        return tl::unexpected(values.error());
    if (values->scalar_type() != tensor.scalar_type())
        return fail(fmt::format("tensor {} of {} is of the type {}, needed is {}", name, m_name,
            c10::toString(values->scalar_type()), c10::toString(tensor.scalar_type())));
    const at::NoGradGuard noGrad;
    tensor.copy_(*values);
    return {};
}

Result<void> TensorFileReader::load(
    const std::string& prefix, const std::vector<NamedTensor>& tensors)
{
    for (const auto& one : tensors) {
        if (auto loaded = load(prefix + one.name, one.tensor); !loaded)
            return loaded;
    }
    return {};
}

Result<void> TensorFileReader::loadAs(const std::string& name, at::Tensor tensor)
{
    const auto values = read(name, tensor.sizes());
    if (!values)
        return tl::unexpected(values.error());
    const at::NoGradGuard noGrad;
    tensor.copy_(values->to(tensor.scalar_type()));
    return {};
}

Result<void> loadWeights(const Module& root, const std::filesystem::path& file)
{
    auto reader = TensorFileReader::open(file);
    if (!reader)
        return tl::unexpected(reader.error());
    std::vector<std::string> missing;
    for (const auto& list : {root.parameters(), root.buffers()}) {
        for (const auto& [name, tensor] : list) {
            if (!reader->has(name))
                missing.push_back(name);
            else if (auto loaded = reader->loadAs(name, tensor); !loaded)
                return loaded;
        }
    }
    if (!missing.empty())
        return fail(fmt::format("{} lacks what the model has: {}", file.string(), someOf(missing)));
    if (const auto unknown = reader->unread(); !unknown.empty())
        return fail(
            fmt::format("{} holds what the model has not: {}", file.string(), someOf(unknown)));
    return {};
}

Result<void> saveWeights(const Module& root, const std::filesystem::path& file)
{
    TensorFileWriter writer;
    writer.add("", root.parameters());
    writer.add("", root.buffers());
    SafetensorsOptions options;
    options.metadata["format"] = "pt";
    return writer.write(file, options);
}

} // namespace mantissa
