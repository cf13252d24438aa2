// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace mantissa {

/// An expected failure, worded for a person: what was tried, the bad value, what to do about it.
struct Error {
    std::string message;

    bool operator==(const Error&) const = default;
};

/// A value or an Error. Functions that return one are [[nodiscard]].
template <typename T> using Result = tl::expected<T, Error>;

/// `return fail("cannot open {}", path)` without naming the result type.
inline tl::unexpected<Error> fail(std::string message)
{
    return tl::unexpected<Error>(Error{std::move(message)});
}

} // namespace mantissa
