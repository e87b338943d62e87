import PlugboardKit
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// How much of a body has come, in one line on standard error that writes over itself.
final class ProgressBar: Sendable {
    private static let width = 30
    private let isShown = Mutex(false)

    /// Nil where nobody would see it, and where it would stand in the middle of the body.
    init?(for output: OutputArguments) {
        let isBodyShown = (output.output == nil || output.output == "-") && ByteOutput.standard.isTerminal
        guard StandardError.isTerminal, !isBodyShown, !output.silent, !output.verbose else { return nil }
    }

    /// From any thread.
    func show(received: Int64, of total: Int64?) {
        isShown.withLock { isShown in
            isShown = true
            StandardError.draw("\r\u{1B}[K\(ProgressBar.line(received: received, of: total))")
        }
    }

    /// Takes the line away; there is none after it.
    func clear() {
        isShown.withLock { isShown in
            if isShown { StandardError.draw("\r\u{1B}[K") }
            isShown = false
        }
    }

    static func line(received: Int64, of total: Int64?) -> String {
        guard let total, total > 0 else { return size(received) }
        let share = min(Double(received) / Double(total), 1)
        let filled = Int(share * Double(width))
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
        return "\(bar) \(Int(share * 100)) %  \(size(received)) of \(size(total))"
    }

    private static func size(_ count: Int64) -> String {
        for (unit, shift) in [("GiB", 30), ("MiB", 20), ("KiB", 10)] as [(String, Int64)] where count >= 1 << shift {
            let tenths = count / ((1 << shift) / 10)
            return "\(tenths / 10).\(tenths % 10) \(unit)"
        }
        return "\(count) B"
    }
}
