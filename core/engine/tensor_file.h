// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/module.h"
#include "core/weights/safetensors.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace mantissa {

/// Gathers tensors of any device and writes them as a safetensors file. One thread.
class TensorFileWriter {
public:
    /// The values as they are now; on the CPU a contiguous tensor is not copied before write().
    void add(const std::string& name, const at::Tensor& tensor);
    void add(const std::string& prefix, const std::vector<NamedTensor>& tensors);
    [[nodiscard]] Result<void> write(
        const std::filesystem::path& file, const SafetensorsOptions& options) const;

private:
    std::vector<NamedTensor> m_tensors; ///< on the CPU, contiguous
};

/// Copies tensors of a safetensors file into tensors that exist. One thread.
class TensorFileReader {
public:
    [[nodiscard]] static Result<TensorFileReader> open(const std::filesystem::path& file);

    bool has(std::string_view name) const { return m_file.find(name) != nullptr; }
    /// The names of the file that neither load() nor loadAs() has read.
    std::vector<std::string> unread() const;
    /// Into a tensor of the same type and sizes.
    [[nodiscard]] Result<void> load(const std::string& name, at::Tensor tensor);
    [[nodiscard]] Result<void> load(
        const std::string& prefix, const std::vector<NamedTensor>& tensors);
    /// Into a tensor of the same sizes, converting the numbers.
    [[nodiscard]] Result<void> loadAs(const std::string& name, at::Tensor tensor);

private:
    explicit TensorFileReader(SafetensorsFile file, std::string name);
    Result<at::Tensor> read(const std::string& name, at::IntArrayRef sizes);

    SafetensorsFile m_file;
    std::string m_name;
    std::set<std::string, std::less<>> m_read;
};

/// Weights and buffers under Python's names, from a file that holds exactly these (as
/// load_state_dict with strict=True); other float formats are converted.
[[nodiscard]] Result<void> loadWeights(const Module& root, const std::filesystem::path& file);

/// The same to a file that safetensors.torch.load_file reads.
[[nodiscard]] Result<void> saveWeights(const Module& root, const std::filesystem::path& file);

} // namespace mantissa
