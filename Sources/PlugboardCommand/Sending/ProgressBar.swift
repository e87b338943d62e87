import PlugboardKit
import PlugboardSystem
import Synchronization

/// The progress of a body, in one line on standard error that is redrawn.
final class ProgressBar: Sendable {
    /// The characters of the bar.
    static let width = 30
    private let isShown = Mutex(false)

    /// Nil if standard error is not a terminal with control sequences, or if the body is written to the same terminal.
    ///
    /// - Parameter file: The path of the file for the body; nil or `-` for standard output.
    init?(for output: OutputArguments, _ file: String?) {
        let isBodyShown = (file == nil || file == "-") && ByteOutput.standard.isTerminal
        let isOff = output.silent || output.verbose || output.noProgressMeter
        guard StandardError.canBeDrawnOn, !isBodyShown, !isOff else { return nil }
    }

    /// Draws the line. Called from any thread.
    func show(received: Int64, of total: Int64?) {
        isShown.withLock { isShown in
            isShown = true
            StandardError.draw("\r\u{1B}[K\(ProgressBar.line(received: received, of: total))")
        }
    }

    /// Removes the line.
    func clear() {
        isShown.withLock { isShown in
            if isShown { StandardError.draw("\r\u{1B}[K") }
            isShown = false
        }
    }

    /// - Parameter width: The characters of the bar; 0 for none.
    static func line(received: Int64, of total: Int64?, width: Int = ProgressBar.width) -> String {
        guard let total, total > 0 else { return size(received) }
        let share = min(Double(received) / Double(total), 1)
        let filled = Int(share * Double(width))
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
        return "\(bar)\(width > 0 ? " " : "")\(Int(share * 100)) %  \(size(received)) of \(size(total))"
    }

    static func size(_ count: Int64) -> String {
        for (unit, shift) in [("GiB", 30), ("MiB", 20), ("KiB", 10)] as [(String, Int64)] where count >= 1 << shift {
            let whole = count >> shift
            let tenths = ((count - (whole << shift)) * 10) >> shift
            return "\(whole).\(tenths) \(unit)"
        }
        return "\(count) B"
    }
}
