// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/cast_count.h"

#include <string_view>

namespace mantissa {

namespace {

/// RecordFunction's callbacks are plain functions.
thread_local std::int64_t t_casts = 0;

std::unique_ptr<at::ObserverContext> count(const at::RecordFunction& function)
{
    if (std::string_view(function.name()) == "aten::_to_copy")
        ++t_casts;
    return nullptr;
}

} // namespace

CastCount::CastCount()
    : m_handle(at::addThreadLocalCallback(
        at::RecordFunctionCallback(count).scopes({at::RecordScope::FUNCTION})))
{
    t_casts = 0;
}

CastCount::~CastCount()
{
    at::removeCallback(m_handle);
}

std::int64_t CastCount::value() const
{
    return t_casts;
}

} // namespace mantissa
