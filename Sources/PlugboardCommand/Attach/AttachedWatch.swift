import PlugboardControl
import PlugboardJSON
import PlugboardKit
import PlugboardSystem

/// `plugboard attach PATH watch`: exchanges as they happen. On a terminal those under way stand below those that have
/// ended; elsewhere each has one line, at its end.
struct AttachedWatch {
    /// How often the terminal is drawn at most, in milliseconds.
    private static let interval: Int32 = 200

    private let client: ControlClient
    private let isJSON: Bool
    private let output = ByteOutput.standard
    private let isDrawn: Bool
    /// Those under way, by their numbers.
    private var running: [Int: JSONValue] = [:]
    /// The request for those under way that was sent after a loss, and those that were shown by then.
    private var asked: (id: Int, shown: Set<Int>)?
    /// Whether events were lost after that request.
    private var hasLostMore = false
    /// The lines on the terminal that are drawn again.
    private var drawn = 0

    init(_ client: ControlClient, isJSON: Bool) {
        (self.client, self.isJSON) = (client, isJSON)
        isDrawn = output.isTerminal && StandardError.hasControlSequences && !isJSON
    }

    func run() throws {
        var watch = self
        try watch.follow()
    }

    private mutating func follow() throws {
        try client.send(["do": "watch"])
        var lines = ""
        var last = ContinuousClock.now
        while true {
            let next = try client.next(within: isDrawn ? AttachedWatch.interval : -1)
            if case .line(let line) = next {
                if isJSON { if line["id"] == nil { try output.write(.object(line)) } } else { lines += try take(line) }
            }
            if case .end = next {
                try show(lines, isLast: true)
                return StandardError.say("The program has closed the socket.")
            }
            if isDrawn, ContinuousClock.now - last < .milliseconds(AttachedWatch.interval) { continue }
            try show(lines)
            (lines, last) = ("", .now)
        }
    }

    /// Returns the lines that stay.
    private mutating func take(_ line: JSONObject) throws -> String {
        if let lost = line["lost"]?.numberValue?.integer(Int.self) {
            // Ends may be among them.
            if isDrawn, asked == nil { try ask() } else { hasLostMore = true }
            return "… \(lost) events were lost\n"
        }
        if let asked, line["id"]?.numberValue?.integer(Int.self) == asked.id {
            let left = (line["result"]?.arrayValue ?? []).compactMap { $0["id"]?.numberValue?.integer(Int.self) }
            for id in asked.shown.subtracting(left) { running[id] = nil }
            self.asked = nil
            if hasLostMore { try ask() }
        }
        guard let event = line["event"]?.stringValue else { return "" }
        guard let exchange = line["exchange"], let id = exchange["id"]?.numberValue?.integer(Int.self) else {
            let details = (line["details"]?.objectValue ?? [:]).map { name, value in
                "\(name)=\(value.stringValue ?? value.numberValue?.text ?? "")"
            }
            return ([event] + details).joined(separator: " ") + "\n"
        }
        guard event == "completed" else {
            if isDrawn { running[id] = exchange }
            return ""
        }
        running[id] = nil
        return AttachedText.exchange(exchange) + "\n"
    }

    private mutating func ask() throws {
        asked = (try client.send(["do": "exchanges"]), Set(running.keys))
        hasLostMore = false
    }

    private mutating func show(_ lines: String, isLast: Bool = false) throws {
        guard isDrawn else {
            if !lines.isEmpty { try output.write(lines) }
            return
        }
        let size = TransferLine.terminal
        let rows = isLast ? [] : running.sorted { $0.key < $1.key }.map { AttachedText.exchange($0.value) }
        // More lines than the terminal has could not be drawn again.
        var shown = rows.suffix(max(size.lines - 3, 1)).map {
            TransferLine.cut("  " + VisibleText.of($0), to: size.columns - 1)
        }
        if shown.count < rows.count { shown.insert("  … and \(rows.count - shown.count) more under way", at: 0) }
        let erased = drawn > 0 ? "\u{1B}[\(drawn)A\r\u{1B}[J" : ""
        let stay = lines.split(separator: "\n").map { VisibleText.of(String($0)) + "\n" }.joined()
        guard !stay.isEmpty || !shown.isEmpty || drawn > 0 else { return }
        try output.write(Bytes(erased + stay + shown.map { $0 + "\n" }.joined()))
        drawn = shown.count
    }
}
