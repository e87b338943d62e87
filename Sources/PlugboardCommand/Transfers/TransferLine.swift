import PlugboardSystem

/// A line of the progress display, cut to the width of the terminal.
enum TransferLine {
    /// The columns and lines of the terminal of standard error; 80 and 24 if it does not tell them.
    static var terminal: (columns: Int, lines: Int) {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// `NAME  BAR 42 %  4.2 MiB of 10.0 MiB  1.3 MiB/s  0:04`. Without enough columns, first the bar becomes shorter.
    static func of(_ name: String, _ count: TransferCount, after time: Duration, columns: Int = 200) -> String {
        let name = cut(VisibleText.of(name), to: 24)
        let start = name + String(repeating: " ", count: max(0, 25 - width(name)))
        let total = count.total.map { Int64($0) }
        func line(_ bar: Int) -> String {
            start + ProgressBar.line(received: Int64(count.done), of: total, width: bar) + speed(count, time)
        }
        // The last column stays empty: some terminals begin the next line when it is written.
        let bare = line(0)
        let bar = min(ProgressBar.width, columns - 2 - width(bare))
        return cut(bar >= 5 ? line(bar) : bare, to: columns - 1)
    }

    private static func speed(_ count: TransferCount, _ time: Duration) -> String {
        let seconds = time / .seconds(1)
        guard seconds > 0.5 else { return "" }
        let rate = Double(count.done - count.resumed) / seconds
        guard rate >= 1 else { return "" }
        var text = "  \(ProgressBar.size(Int64(rate)))/s"
        if let total = count.total {
            let left = Int(min(max(Double(total - count.done), 0) / rate, 359_999))
            let minutes = left / 60 % 60
            let clock = left >= 3600 ? "\(left / 3600):\(minutes < 10 ? "0" : "")\(minutes)" : "\(minutes)"
            text += "  \(clock):\(left % 60 < 10 ? "0" : "")\(left % 60)"
        }
        return text
    }

    /// The text in at most so many columns, with an ellipsis where something is left out.
    static func cut(_ text: String, to columns: Int) -> String {
        guard width(text) > columns else { return text }
        var cut = ""
        var used = 0
        for character in text {
            used += width(character)
            guard used < columns else { break }
            cut.append(character)
        }
        return columns > 0 ? cut + "…" : ""
    }

    static func width(_ text: String) -> Int { text.reduce(0) { $0 + width($1) } }

    /// Two columns for the wide characters of East Asia and for emoji (Unicode UAX #11).
    private static func width(_ character: Character) -> Int {
        switch character.unicodeScalars.first?.value ?? 0 {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            2
        default: 1
        }
    }
}
