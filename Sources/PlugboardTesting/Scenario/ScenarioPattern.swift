import PlugboardKit

/// The expectation of a value.
enum ScenarioPattern: Sendable {
    /// `null`: the value is missing.
    case absent
    case exact(String)
    /// `{"like": "Bearer *"}`: a `*` stands for any text.
    case like(String)
    /// `{"json": …}`: JSON of the same value, in any layout.
    case json(JSONValue)
    /// `{"hex": "00ff"}`.
    case hex([UInt8])

    init(_ value: JSONValue, at path: String) throws(ScenarioError) {
        if value == .null {
            self = .absent
            return
        }
        if let text = value.stringValue {
            self = .exact(text)
            return
        }
        let members = try ScenarioMembers(value, at: path, known: ["like", "json", "hex"])
        if let text = try members.text("like") {
            self = .like(text)
        } else if let json = members["json"] {
            self = .json(json)
        } else if let text = try members.text("hex"), let bytes = ScenarioMembers.bytes(hexadecimal: text) {
            self = .hex(bytes)
        } else {
            throw ScenarioError(
                path: path, reason: "must be a text, null, {\"like\": …}, {\"json\": …} or {\"hex\": \"00ff\"}")
        }
    }

    func check(_ found: String?, at path: String) throws(ScenarioError) {
        try check(found.map { Bytes($0) }, at: path)
    }

    func check(_ found: Bytes?, at path: String) throws(ScenarioError) {
        if matches(found) { return }
        throw ScenarioError(
            path: path,
            reason: "is \(found.map { ScenarioPattern.shown($0.text) } ?? "missing"), expected \(description)")
    }

    private func matches(_ found: Bytes?) -> Bool {
        guard let found else { return if case .absent = self { true } else { false } }
        return switch self {
        case .absent: false
        case .exact(let text): found == Bytes(text)
        case .like(let text): ScenarioPattern.isLike(found.array, text)
        case .json(let value): (try? found.withUnsafeBytes { try JSONParser.parse($0) }) == value
        case .hex(let bytes): found == Bytes(bytes)
        }
    }

    private var description: String {
        switch self {
        case .absent: "none"
        case .exact(let text): ScenarioPattern.shown(text)
        case .like(let text): "a text like \(ScenarioPattern.shown(text))"
        case .json(let value): "the JSON \(ScenarioPattern.shown(JSONWriter.write(value)))"
        case .hex(let bytes): "the \(bytes.count) bytes given in hexadecimal"
        }
    }

    /// The beginning of a text, in quotes.
    static func shown(_ text: String) -> String {
        let start = text.prefix(300)
        return "\"\(Printable.text(String(start)))\"" + (start.endIndex == text.endIndex ? "" : "…")
    }

    /// Whether the text has the parts between the stars in order, the first at its start and the last at its end.
    private static func isLike(_ text: [UInt8], _ pattern: String) -> Bool {
        var parts = pattern.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map(Array.init)
        let first = parts.removeFirst()
        guard let last = parts.popLast() else { return text == first }
        guard text.count >= first.count + last.count, text.starts(with: first), text.suffix(last.count) == last[...]
        else { return false }
        var rest = text[first.count..<text.count - last.count]
        for part in parts {
            guard let index = firstIndex(of: part, in: rest) else { return false }
            rest = rest[(index + part.count)...]
        }
        return true
    }

    private static func firstIndex(of part: [UInt8], in text: ArraySlice<UInt8>) -> Int? {
        guard text.count >= part.count else { return nil }
        return (text.startIndex...text.endIndex - part.count).first { text[$0..<$0 + part.count] == part[...] }
    }
}
