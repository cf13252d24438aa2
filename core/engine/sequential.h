// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/module.h"

namespace mantissa {

/// Children "0", "1", ... one after the other.
class Sequential : public Module {
public:
    template <typename T, typename... Args> T& append(Args&&... args)
    {
        return add<T>(std::to_string(children().size()), std::forward<Args>(args)...);
    }

protected:
    at::Tensor forward(const at::Tensor& input) override
    {
        auto values = input;
        for (auto* child : children())
            values = (*child)(values);
        return values;
    }
};

} // namespace mantissa
