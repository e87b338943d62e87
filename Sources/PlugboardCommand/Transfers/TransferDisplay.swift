import Dispatch
import Plugboard
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
///
/// It is the only writer to the terminal: the kernel's log goes through it. Transfers and loops never wait for it,
/// because it writes on a queue of its own: the latest state of the progress, at most ten times a second, and each line
/// that must not be lost. A stopped terminal (Ctrl-S) or a slow reader stops only this display.
final class TransferDisplay: Sendable {
    enum Form: String, CaseIterable {
        /// Lines that are redrawn, if standard error is a terminal that has control sequences.
        case bar
        /// One object a line on standard output.
        case json
        /// Only errors, and notes about complete files.
        case none
    }

    private static let interval = DispatchTimeInterval.milliseconds(100)
    /// How many lines of the log wait for a terminal that was stopped.
    private static let logLimit = 1000

    private struct State {
        var rows = TransferRows()
        /// The objects of progress that wait, by files.
        var objects: [Int: JSONObject] = [:]
        /// Lines that wait, all of which are written.
        var lines: [Line] = []
        var logCount = 0
        var leftOut = 0
        /// Whether the queue is to show progress.
        var isDue = false
        /// When progress may be shown again.
        var next = DispatchTime.now()
        /// The lines that stand on the terminal.
        var drawn = 0

        mutating func takeLines() -> [Line] {
            if leftOut > 0 { lines.append(.text("plugboard: \(leftOut) more lines of the log were left out\n")) }
            defer { (lines, logCount, leftOut) = ([], 0, 0) }
            return lines
        }
    }

    private enum Line {
        case text(String)
        case object(JSONObject)
    }

    private let form: Form
    /// Whether lines on the terminal are redrawn.
    private let isDrawn: Bool
    /// What an object of JSON calls the bytes.
    private let member: String
    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "plugboard.transfers")
    private let output: @Sendable (String) -> Void

    /// - Parameter terminal: Writes a text unchanged, and may block; nil for standard error.
    init(_ form: Form, counting member: String = "received", terminal: (@Sendable (String) -> Void)? = nil) {
        self.form = form
        isDrawn = form == .bar && (terminal != nil || StandardError.canBeDrawnOn)
        self.member = member
        output = { if !$0.isEmpty { (terminal ?? StandardError.draw)($0) } }
        state = Mutex(State())
    }

    // MARK: What happens, from any thread

    /// Sets the number of files that the totals are about.
    func expect(_ files: Int) { state.withLock { $0.rows.files = files } }

    /// Shows the progress of a file.
    ///
    /// - Parameter facts: Members of the object of JSON that distinguish the files.
    func show(_ index: Int, _ name: String, _ count: TransferCount, _ facts: JSONObject = [:]) {
        guard isDrawn || form == .json else { return }
        let next: DispatchTime? = state.withLock { state in
            guard state.rows.set(index, name, count) else { return nil }
            if form == .json { state.objects[index] = object(name, count, facts) }
            defer { state.isDue = true }
            return state.isDue ? nil : state.next
        }
        if let next { queue.asyncAfter(deadline: next) { self.write(progress: true) } }
    }

    private func object(_ name: String, _ count: TransferCount, _ facts: JSONObject) -> JSONObject {
        var object: JSONObject = [
            "file": .string(name), member: .number(JSONNumber(count.done)),
            "resumed": .number(JSONNumber(count.resumed)),
        ]
        if let total = count.total { object["total"] = .number(JSONNumber(total)) }
        for (name, value) in facts { object[name] = value }
        return object
    }

    /// Replaces the progress of a transfer that has ended with a line that stays.
    ///
    /// - Parameter isExpected: Whether it is a success with nothing to note.
    func end(_ index: Int, _ line: String, _ object: JSONObject, isExpected: Bool = false) {
        state.withLock { state in
            state.rows.end(index)
            state.objects[index] = nil
            if form == .none, isExpected { return }
            state.lines.append(form == .json ? .object(object) : .text(VisibleText.of(line) + "\n"))
        }
        queue.async { self.write() }
    }

    /// A log whose lines go to standard error, through this display.
    func log(_ level: LogLevel) -> KernelLog {
        KernelLog(level: level) { [self] level, source, text in
            state.withLock { state in
                guard state.logCount < TransferDisplay.logLimit else { return state.leftOut += 1 }
                state.logCount += 1
                state.lines.append(.text(KernelLog.standardErrorText(level, source, text)))
            }
            queue.async { self.write() }
        }
    }

    /// Writes the body of a response to standard output, while no progress stands on the terminal.
    func write(_ body: Bytes) async throws(CommandFailure) {
        let result: Result<Void, CommandFailure> = await withCheckedContinuation { continuation in
            queue.async { [self] in
                write()
                let standard = ByteOutput.standard
                let isMixed = isDrawn && standard.isTerminal && body.withUnsafeBytes { $0.last != 0x0A }
                output(state.withLock { erasing(&$0) })
                let result = Result { () throws(CommandFailure) in
                    try BodyWriter(standard, isForReaders: standard.isTerminal).write(body)
                }
                // Progress must not continue the body's last line.
                if isMixed { output("\n") }
                continuation.resume(returning: result)
            }
        }
        try result.get()
    }

    /// Waits until everything is written. Nothing of the progress is left on the terminal.
    func finish() async {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                state.withLock { $0.rows.endAll() }
                write(progress: true)
                continuation.resume()
            }
        }
    }

    // MARK: Writing, on the queue

    /// - Parameter progress: Whether progress is shown even if no line waits.
    private func write(progress: Bool = false) {
        var lines: [Line] = []
        var text = ""
        // What is drawn; nil leaves the terminal as it is.
        var rows: TransferRows?
        state.withLock { state in
            lines = state.takeLines()
            if progress {
                state.isDue = false
                // Progress that comes while this is written waits, too.
                state.next = .now() + TransferDisplay.interval
                lines = state.objects.sorted { $0.key < $1.key }.map { .object($0.value) } + lines
                state.objects = [:]
            }
            guard isDrawn, progress || !lines.isEmpty else { return }
            text = erasing(&state)
            rows = state.rows
        }
        for line in lines {
            switch line {
            case .text(let line): text += line
            case .object(let object): write(object)
            }
        }
        if let drawing = rows?.lines {
            text += drawing.map { $0 + "\n" }.joined()
            state.withLock { $0.drawn = drawing.count }
        }
        output(text)
        if progress { state.withLock { $0.next = .now() + TransferDisplay.interval } }
    }

    /// What erases the lines on the terminal.
    private func erasing(_ state: inout State) -> String {
        defer { state.drawn = 0 }
        return state.drawn > 0 ? "\u{1B}[\(state.drawn)A\r\u{1B}[J" : ""
    }

    private func write(_ object: JSONObject) {
        // A closed pipe is no reason to stop the transfers.
        try? ByteOutput.standard.write(Bytes(JSONWriter.write(.object(object)) + [UInt8(ascii: "\n")]))
    }
}
