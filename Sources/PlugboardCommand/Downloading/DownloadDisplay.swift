import PlugboardDownloads
import PlugboardJSON
import PlugboardKit
import Synchronization

/// How much of a file was transferred.
struct TransferCount {
    var done: Int
    var resumed: Int
    var total: Int?
}

/// The progress of several downloads or uploads: a line for each on a terminal, or an object of JSON a line for
/// programs.
final class DownloadDisplay: Sendable {
    enum Form: String, CaseIterable {
        /// Lines that are redrawn, if standard error is a terminal.
        case bar
        /// One object a line on standard output.
        case json
        case none
    }

    private struct Row {
        let name: String
        let began: ContinuousClock.Instant
        var count: TransferCount
    }

    private struct State {
        var rows: [Int: Row] = [:]
        /// The lines that stand on the terminal.
        var drawn = 0
    }

    private let form: Form
    /// What an object of JSON calls the bytes.
    private let member: String
    private let state = Mutex(State())

    init(_ form: Form, counting member: String = "received") {
        self.form = form == .bar && !StandardError.isTerminal ? .none : form
        self.member = member
    }

    /// From any thread.
    func show(_ index: Int, _ name: String, _ progress: DownloadProgress) {
        show(index, name, TransferCount(done: progress.received, resumed: progress.resumed, total: progress.total))
    }

    /// From any thread.
    func show(_ index: Int, _ name: String, _ count: TransferCount) {
        switch form {
        case .none: break
        case .json:
            var object: JSONObject = [
                "file": .string(name), member: .number(JSONNumber(count.done)),
                "resumed": .number(JSONNumber(count.resumed)),
            ]
            if let total = count.total { object["total"] = .number(JSONNumber(total)) }
            write(object)
        case .bar:
            state.withLock { state in
                if state.rows[index] == nil {
                    state.rows[index] = Row(name: name, began: .now, count: count)
                }
                state.rows[index]?.count = count
                draw(&state)
            }
        }
    }

    /// A download has ended: its line goes, and this one stays.
    func end(_ index: Int, _ line: String, _ object: JSONObject) {
        if form == .json { return write(object) }
        state.withLock { state in
            clear(&state)
            state.rows[index] = nil
            StandardError.write(line + "\n")
            if form == .bar { draw(&state) }
        }
    }

    func clear() { state.withLock { clear(&$0) } }

    private func write(_ object: JSONObject) {
        // A closed pipe is no reason to stop the downloads.
        state.withLock { _ in
            try? ByteOutput.standard.write(Bytes(JSONWriter.write(.object(object)) + [UInt8(ascii: "\n")]))
        }
    }

    private func clear(_ state: inout State) {
        if state.drawn > 0 { StandardError.draw("\u{1B}[\(state.drawn)A\r\u{1B}[J") }
        state.drawn = 0
    }

    private func draw(_ state: inout State) {
        let rows = state.rows.sorted { $0.key < $1.key }.map(\.value)
        let lines = rows.map { DownloadDisplay.line($0.name, $0.count, after: .now - $0.began) }
        let up = state.drawn > 0 ? "\u{1B}[\(state.drawn)A\r\u{1B}[J" : ""
        StandardError.draw(up + lines.map { VisibleText.of($0) + "\n" }.joined())
        state.drawn = lines.count
    }

    /// `NAME  BAR 42 %  4.2 MiB of 10.0 MiB  1.3 MiB/s  0:04`
    static func line(_ name: String, _ count: TransferCount, after time: Duration) -> String {
        let short = name.count > 24 ? String(name.prefix(23)) + "…" : name
        var line = short + String(repeating: " ", count: max(0, 25 - short.count))
        line += ProgressBar.line(received: Int64(count.done), of: count.total.map { Int64($0) })
        let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
        guard seconds > 0.5 else { return line }
        let rate = Double(count.done - count.resumed) / seconds
        guard rate >= 1 else { return line }
        line += "  \(ProgressBar.size(Int64(rate)))/s"
        if let total = count.total {
            let left = Int(min(Double(total - count.done) / rate, 359_999))
            let minutes = left / 60 % 60
            let clock = left >= 3600 ? "\(left / 3600):\(minutes < 10 ? "0" : "")\(minutes)" : "\(minutes)"
            line += "  \(clock):\(left % 60 < 10 ? "0" : "")\(left % 60)"
        }
        return line
    }
}
