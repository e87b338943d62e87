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
final class TransferDisplay: Sendable {
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
        /// How many files there are; nil if that is not known.
        var files: Int?
        var ended = 0
        /// What the files that have ended have brought.
        var endedCount = TransferCount(done: 0, resumed: 0, total: 0)
        /// When the first file began.
        var began: ContinuousClock.Instant?
    }

    private let form: Form
    /// What an object of JSON calls the bytes.
    private let member: String
    private let state = Mutex(State())

    init(_ form: Form, counting member: String = "received") {
        self.form = form == .bar && !StandardError.isTerminal ? .none : form
        self.member = member
    }

    /// The totals are about so many files.
    func expect(_ files: Int) { state.withLock { $0.files = files } }

    /// From any thread.
    ///
    /// - Parameter facts: Members of the object of JSON, which tell the files apart.
    func show(_ index: Int, _ name: String, _ progress: DownloadProgress, _ facts: JSONObject) {
        let count = TransferCount(done: progress.received, resumed: progress.resumed, total: progress.total)
        show(index, name, count, facts)
    }

    /// From any thread.
    func show(_ index: Int, _ name: String, _ count: TransferCount, _ facts: JSONObject = [:]) {
        switch form {
        case .none: break
        case .json:
            var object: JSONObject = [
                "file": .string(name), member: .number(JSONNumber(count.done)),
                "resumed": .number(JSONNumber(count.resumed)),
            ]
            if let total = count.total { object["total"] = .number(JSONNumber(total)) }
            for (name, value) in facts { object[name] = value }
            write(object)
        case .bar:
            state.withLock { state in
                state.began = state.began ?? .now
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
            if let count = state.rows.removeValue(forKey: index)?.count {
                state.endedCount.done += count.done
                state.endedCount.resumed += count.resumed
            }
            state.ended += 1
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
        let (columns, height) = TransferLine.terminal
        let rows = state.rows.sorted { $0.key < $1.key }.map(\.value)
        // More lines than the terminal has could not be redrawn.
        let shown = rows.count <= max(height - 3, 1) ? rows.count : max(height - 4, 1)
        var lines = rows.prefix(shown).map {
            TransferLine.of($0.name, $0.count, after: .now - $0.began, columns: columns)
        }
        if shown < rows.count { lines.append(TransferLine.cut("… and \(rows.count - shown) more", to: columns - 1)) }
        if let (name, count) = TransferDisplay.totals(rows.map(\.count), state.ended, state.endedCount, of: state.files)
        {
            lines.append(TransferLine.of(name, count, after: .now - (state.began ?? .now), columns: columns))
        }
        let up = state.drawn > 0 ? "\u{1B}[\(state.drawn)A\r\u{1B}[J" : ""
        StandardError.draw(up + lines.map { $0 + "\n" }.joined())
        state.drawn = lines.count
    }

    /// The line about all files; nil for a single file. The bytes of files that have not begun are not known.
    static func totals(
        _ running: [TransferCount], _ ended: Int, _ endedCount: TransferCount, of files: Int?
    ) -> (name: String, count: TransferCount)? {
        let known = running.count + ended
        guard max(files ?? 0, known) > 1 else { return nil }
        var sum = running.reduce(into: endedCount) {
            $0.done += $1.done
            $0.resumed += $1.resumed
        }
        let totals = running.compactMap(\.total)
        let isKnown = totals.count == running.count && known >= files ?? known
        sum.total = isKnown ? totals.reduce(endedCount.done, +) : nil
        return ("\(ended) of \(max(files ?? 0, known)) files", sum)
    }
}
