// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/module.h"

#include "core/engine/autocast_guard.h"

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>

namespace mantissa {

namespace {

void moveTensors(std::vector<NamedTensor>& tensors, at::Device device, bool channelsLast)
{
    for (auto& [name, tensor] : tensors) {
        auto moved = tensor.detach().to(device);
        if (channelsLast && moved.dim() == 4)
            moved = moved.contiguous(at::MemoryFormat::ChannelsLast);
        tensor.set_data(moved);
    }
}

} // namespace

ModuleObserver::~ModuleObserver() = default;
Module::Module() = default;
Module::~Module() = default;

at::Tensor Module::observedCall(const at::Tensor& input)
{
    if (m_observer)
        m_observer->before(*this, input);
    auto output = m_keepFp32 ? callInFp32(input) : forward(input);
    if (m_observer)
        m_observer->after(*this, input, output);
    return output;
}

at::Tensor Module::callInFp32(const at::Tensor& input)
{
    const auto device = input.device().type();
    const AutocastGuard region(device, at::autocast::get_autocast_dtype(device),
        at::autocast::is_autocast_cache_enabled(), false);
    return forward(input.is_floating_point() ? input.to(at::kFloat) : input);
}

void Module::registerParameter(std::string name, const at::Tensor& tensor)
{
    m_parameters.push_back({std::move(name), tensor});
}

void Module::registerBuffer(std::string name, const at::Tensor& tensor)
{
    m_buffers.push_back({std::move(name), tensor});
}

void Module::adopt(const std::string& name, std::unique_ptr<Module> child)
{
    child->m_name = name;
    child->prefixPaths(name);
    m_children.push_back(child.get());
    m_owned.push_back(std::move(child));
}

void Module::prefixPaths(const std::string& prefix)
{
    m_path = m_path.empty() ? prefix : prefix + "." + m_path;
    for (auto* child : m_children)
        child->prefixPaths(prefix);
}

void Module::collect(std::vector<NamedTensor> Module::*list, const std::string& prefix,
    std::vector<NamedTensor>& all) const
{
    for (const auto& [name, tensor] : this->*list)
        all.push_back({prefix + name, tensor});
    for (const auto* child : m_children)
        child->collect(list, prefix + child->m_name + ".", all);
}

std::vector<NamedTensor> Module::parameters() const
{
    std::vector<NamedTensor> all;
    collect(&Module::m_parameters, "", all);
    return all;
}

std::vector<NamedTensor> Module::buffers() const
{
    std::vector<NamedTensor> all;
    collect(&Module::m_buffers, "", all);
    return all;
}

std::vector<Module*> Module::subtree()
{
    std::vector<Module*> all{this};
    for (auto* child : m_children) {
        const auto below = child->subtree();
        all.insert(all.end(), below.begin(), below.end());
    }
    return all;
}

void Module::setTraining(bool training)
{
    m_training = training;
    for (auto* child : m_children)
        child->setTraining(training);
}

void Module::moveTo(at::Device device, bool channelsLast)
{
    moveTensors(m_parameters, device, channelsLast);
    moveTensors(m_buffers, device, channelsLast);
    for (auto* child : m_children)
        child->moveTo(device, channelsLast);
}

void Module::setObserver(ModuleObserver* observer)
{
    m_observer = observer;
    for (auto* child : m_children)
        child->setObserver(observer);
}

} // namespace mantissa
