// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mantissa {

class Module;

struct NamedTensor {
    std::string name; ///< as in Python, e.g. "layer1.0.conv1.weight"
    at::Tensor tensor; ///< a handle: shares the module's own tensor
};

/// Told of every call of a module, children within their parents. Tensors may carry a graph.
class ModuleObserver {
public:
    virtual ~ModuleObserver();
    virtual void before(const Module& module, const at::Tensor& input) = 0;
    virtual void after(const Module& module, const at::Tensor& input, const at::Tensor& output) = 0;
};

/// A named part of a network: parameters, buffers, children. Its call is the one place where what
/// applies to "a module" happens: keep_fp32 and observers. Parameters are created in the
/// constructor from the default generator, in the order in which torch.nn's twin creates its own,
/// so that the same seed gives Python's weights to the bit. One thread.
///
///     class Block : public Module {
///         at::Tensor forward(const at::Tensor& input) override { return m_fc(input).relu(); }
///         Linear& m_fc = add<Linear>("fc", 8, 8);
///     };
class Module {
public:
    Module();
    virtual ~Module();
    Module(const Module&) = delete;
    Module& operator=(const Module&) = delete;

    /// forward(), told to the observer, outside autocast where keepFp32 is set.
    at::Tensor operator()(const at::Tensor& input)
    {
        return m_observer || m_keepFp32 ? observedCall(input) : forward(input);
    }

    /// As in Python: "layer1.0.conv1"; "" for the root.
    const std::string& path() const { return m_path; }
    /// Of the whole subtree, in the order and with the names of Python's named_parameters().
    std::vector<NamedTensor> parameters() const;
    /// Of the whole subtree, in the order of Python's named_buffers(): running statistics.
    std::vector<NamedTensor> buffers() const;
    /// In the order of creation.
    const std::vector<Module*>& children() const { return m_children; }
    /// This module and everything below it, parents before children.
    std::vector<Module*> subtree();

    /// Why an operator of this module does not run in its precision, in words; "" if all do.
    virtual std::string fallback() const { return {}; }

    bool isTraining() const { return m_training; }
    bool keepsFp32() const { return m_keepFp32; }
    // The whole subtree:
    void setTraining(bool training);
    /// Keeps every tensor's identity; with `channelsLast`, 4-d parameters are stored so.
    void moveTo(at::Device device, bool channelsLast);
    /// Nobody (nullptr) costs nothing. `observer` must outlive its use here.
    void setObserver(ModuleObserver* observer);
    /// This module only, and with it everything it calls: autocast off, floating input as fp32.
    void setKeepFp32(bool keep) { m_keepFp32 = keep; }

protected:
    virtual at::Tensor forward(const at::Tensor& input) = 0;

    void registerParameter(std::string name, const at::Tensor& tensor);
    void registerBuffer(std::string name, const at::Tensor& tensor);
    /// Creates, owns and names a child.
    template <typename T, typename... Args> T& add(const std::string& name, Args&&... args)
    {
        auto child = std::make_unique<T>(std::forward<Args>(args)...);
        auto& reference = *child;
        adopt(name, std::move(child));
        return reference;
    }

private:
    at::Tensor observedCall(const at::Tensor& input);
    at::Tensor callInFp32(const at::Tensor& input);
    void adopt(const std::string& name, std::unique_ptr<Module> child);
    void prefixPaths(const std::string& prefix);
    void collect(std::vector<NamedTensor> Module::*list, const std::string& prefix,
        std::vector<NamedTensor>& all) const;

    std::string m_name;
    std::string m_path;
    std::vector<NamedTensor> m_parameters; ///< own, by their last name
    std::vector<NamedTensor> m_buffers;
    std::vector<std::unique_ptr<Module>> m_owned;
    std::vector<Module*> m_children;
    ModuleObserver* m_observer = nullptr;
    bool m_training = true;
    bool m_keepFp32 = false;
};

} // namespace mantissa
