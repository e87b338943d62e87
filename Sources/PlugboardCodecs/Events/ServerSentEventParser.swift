import PlugboardMessages

/// Reads a stream of events (HTML standard §9.2.5, §9.2.6) from pieces that may be cut anywhere, in linear time.
struct ServerSentEventParser {
    /// The last id of the events so far, as the field `Last-Event-ID` sends it.
    private(set) var lastEventID: String
    /// The value of the last field `retry`.
    private(set) var reconnectionTime: Duration?

    private let limit: Int
    private var scanner: LineScanner
    private var data: [UInt8] = []
    private var type = ""
    private var id: String

    /// - Parameters:
    ///   - lastEventID: The last id of an earlier stream. The standard begins without one, but browsers keep it, so
    ///     that events without an id do not lose the position.
    ///   - limit: The most bytes in a line, and in the data of an event.
    init(lastEventID: String = "", limit: Int) {
        self.lastEventID = lastEventID
        self.id = lastEventID
        self.limit = limit
        scanner = LineScanner(limit: limit)
    }

    /// Adds the next piece. Call it after `next` has returned nil.
    mutating func add(_ bytes: Bytes) { scanner.add(bytes) }

    /// The next event, or nil if the piece completes no further one. Throws `body.limit`. An event that is cut by the
    /// end of the stream is ignored.
    mutating func next() throws(PlugboardError) -> ServerSentEvent? {
        while let line = try scanner.next() {
            if line.isEmpty {
                if let event = dispatched() { return event }
            } else {
                try read(line)
            }
        }
        return nil
    }

    private mutating func read(_ line: Bytes) throws(PlugboardError) {
        let colon = line.withUnsafeBytes { $0.firstIndex(of: UInt8(ascii: ":")) } ?? line.count
        // One space after the colon is not part of the value.
        let space = line.withUnsafeBytes { colon + 1 < $0.count && $0[colon + 1] == 0x20 } ? 1 : 0
        let value = line[min(colon + 1 + space, line.count)..<line.count]
        func isField(_ name: StaticString) -> Bool {
            name.utf8CodeUnitCount == colon
                && line.withUnsafeBytes { $0[..<colon].elementsEqual(name.description.utf8) }
        }
        if isField("data") {
            guard data.count + value.count <= limit else {
                throw PlugboardError(
                    .bodyLimit,
                    "An event of the stream is larger than the \(ByteCount.bytes(limit)) allowed. Raise the limit.")
            }
            value.withUnsafeBytes { data.append(contentsOf: $0) }
            data.append(UInt8(ascii: "\n"))
        } else if isField("event") {
            type = value.text
        } else if isField("id") {
            if !value.withUnsafeBytes({ $0.contains(0) }) { id = value.text }
        } else if isField("retry") {
            if let milliseconds = value.withUnsafeBytes(ServerSentEventParser.number) {
                reconnectionTime = .milliseconds(milliseconds)
            }
        }
    }

    /// Handles an empty line: returns the event, if there is one.
    private mutating func dispatched() -> ServerSentEvent? {
        lastEventID = id
        defer {
            data.removeAll(keepingCapacity: true)
            type = ""
        }
        guard !data.isEmpty else { return nil }
        let text = String(decoding: data.dropLast(), as: UTF8.self)
        return ServerSentEvent(type: type.isEmpty ? "message" : type, data: text, id: id)
    }

    /// Reads digits only. The limit is about a year in milliseconds, because larger numbers have the same effect.
    private static func number(_ digits: UnsafeRawBufferPointer) -> Int? {
        if digits.isEmpty { return nil }
        var number = 0
        for digit in digits {
            guard digit &- 0x30 < 10 else { return nil }
            number = min(number * 10 + Int(digit - 0x30), 31_536_000_000)
        }
        return number
    }
}
