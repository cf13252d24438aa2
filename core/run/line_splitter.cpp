// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/protocol.h"

namespace mantissa {

std::vector<std::string> LineSplitter::feed(std::string_view bytes)
{
    std::vector<std::string> lines;
    while (!bytes.empty()) {
        const auto newline = bytes.find('\n');
        const bool complete = newline != std::string_view::npos;
        const auto piece = bytes.substr(0, newline);
        if (!m_dropping && m_partial.size() + piece.size() > m_maxLineBytes) {
            m_dropping = true;
            ++m_droppedLines;
            std::string().swap(m_partial);
        }
        if (!m_dropping)
            m_partial += piece;
        if (!complete)
            break;
        if (!m_dropping) {
            if (!m_partial.empty() && m_partial.back() == '\r')
                m_partial.pop_back();
            lines.push_back(std::move(m_partial));
        }
        m_partial.clear();
        m_dropping = false;
        bytes.remove_prefix(newline + 1);
    }
    return lines;
}

} // namespace mantissa
