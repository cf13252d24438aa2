// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <SQLiteCpp/Exception.h>
#include <filesystem>
#include <string>
#include <string_view>
#include <type_traits>

namespace mantissa {

/// "cannot WHAT the store FILE: REASON", the reason in words a person can act on.
Error storeError(
    const std::filesystem::path& file, std::string_view what, const SQLite::Exception& exception);

/// The text of a failure's reason alone, e.g. "the disk is full".
std::string storeErrorReason(const SQLite::Exception& exception);

template <typename T> struct IsResult : std::false_type {
};
template <typename T> struct IsResult<Result<T>> : std::true_type {
};

/// Runs `body` and turns what SQLiteCpp throws into an Error. `body` returns a value, a Result or
/// nothing.
template <typename Body>
auto guardStore(const std::filesystem::path& file, std::string_view what, Body&& body)
{
    using Value = std::invoke_result_t<Body>;
    using Returned = std::conditional_t<IsResult<Value>::value, Value, Result<Value>>;
    try {
        if constexpr (std::is_void_v<Value>) {
            body();
            return Returned();
        } else {
            return Returned(body());
        }
    } catch (const SQLite::Exception& exception) {
        return Returned(tl::unexpected<Error>(storeError(file, what, exception)));
    }
}

} // namespace mantissa
