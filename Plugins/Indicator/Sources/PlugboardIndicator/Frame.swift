import PlugboardKit

/// The lines that show requests on a terminal.
struct Frame {
    private static let signs: [String] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]
    private static let width = 20

    var rows: [ActiveRequests.Row]
    /// The most requests that have a line.
    var limit: Int
    /// The number of the drawing, which turns the spinner.
    var number: Int
    /// The columns of the terminal.
    var columns: Int

    /// The lines: at least one for rows that are not empty. Each is narrower than the terminal.
    var lines: [String] {
        var lines = rows.prefix(limit).map { Frame.cut(line($0), to: columns - 1) }
        if rows.count > limit { lines.append(Frame.cut("  and \(rows.count - limit) more", to: columns - 1)) }
        return lines
    }

    private func line(_ row: ActiveRequests.Row) -> String {
        let sign = row.isSuspended ? "‖" : Frame.signs[number % Frame.signs.count]
        var line = "\(sign) \(Printable.text(row.message))"
        let progress = row.progress
        // What is sent comes first; the response's body follows.
        if let total = progress.toSend, total > 0, progress.sent < total || progress.received == 0 {
            line += "  ↑ \(Frame.share(progress.sent, total))"
        } else if progress.received > 0 {
            let total = progress.toReceive ?? 0
            line += "  ↓ \(total > 0 ? Frame.share(progress.received, total) : Frame.size(progress.received))"
        } else if progress.sent > 0 {
            line += "  ↑ \(Frame.size(progress.sent))"
        }
        if row.isSuspended { line += "  suspended" }
        return line
    }

    private static func share(_ count: Int, _ total: Int) -> String {
        let share = min(Double(count) / Double(total), 1)
        let filled = Int(share * Double(width))
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
        return "\(bar) \(Int(share * 100)) %  \(size(count)) of \(size(total))"
    }

    static func size(_ count: Int) -> String {
        for (unit, shift) in [("GiB", 30), ("MiB", 20), ("KiB", 10)] where count >= 1 << shift {
            let tenths = count / ((1 << shift) / 10)
            return "\(tenths / 10).\(tenths % 10) \(unit)"
        }
        return "\(count) B"
    }

    /// The beginning of a text that fits into this many columns.
    private static func cut(_ text: String, to columns: Int) -> String {
        var left = max(columns, 1)
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            // East Asian characters and pictures are wide. Combining characters are counted too. Of the symbols, some
            // are wide, so all count as wide except those that are drawn here.
            let isWide =
                (0x2300...0x24FF).contains(scalar.value) || (0x25A0...0x27FF).contains(scalar.value)
                || (0x2900...0x2BFF).contains(scalar.value) || (0x1100...0x115F).contains(scalar.value)
                || (0x2E80...0xFFDC).contains(scalar.value)
                || scalar.value >= 0x1F300
            left -= isWide ? 2 : 1
            guard left >= 0 else { break }
            result.append(scalar)
        }
        return String(result)
    }
}
