// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>

class QMainWindow;

namespace mantissa::ui {

/// Makes tabs of the docks that stand on one side of a frame while there is little room, instead
/// of making all of them small, and brings the roomy layout back afterwards. Floating and closed
/// docks are left alone. GUI thread.
class CompactDocks {
public:
    /// `version` is that of the saved layout. The frame must outlive this.
    CompactDocks(QMainWindow& frame, int version);

    bool isCompact() const { return m_compact; }
    void setCompact(bool compact);

    /// Always the roomy layout: what is kept between starts does not depend on the last size.
    QByteArray saveLayout() const;
    void restoreLayout(const QByteArray& layout);

private:
    void tabify();

    QMainWindow& m_frame;
    int m_version;
    bool m_compact = false;
    QByteArray m_roomy; ///< while compact
};

} // namespace mantissa::ui
