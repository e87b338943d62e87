import PlugboardKit

/// An error in a scenario's text, or a difference between the expected and the actual result.
package struct ScenarioError: Error, Sendable, CustomStringConvertible {
    /// The path in the file, such as `steps[2].sent.fields.x-sign`.
    let path: String
    let reason: String

    package var description: String { path.isEmpty ? reason : "\(path): \(reason)" }
}

/// The members of an object, read strictly: an unknown key is an error that names the known keys.
struct ScenarioMembers {
    let path: String
    private let object: JSONObject

    init(_ value: JSONValue, at path: String, known: [String]) throws(ScenarioError) {
        guard let object = value.objectValue else { throw ScenarioError(path: path, reason: "must be an object") }
        for key in object.keys where !known.contains(key) {
            throw ScenarioError(
                path: path,
                reason: "\(Printable.text(key)) is not a known key. Known are \(known.joined(separator: ", ")).")
        }
        self.path = path
        self.object = object
    }

    subscript(key: String) -> JSONValue? { object[key] }

    func path(of key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    private func read<Value>(
        _ key: String, _ kind: String, _ read: (JSONValue) -> Value?
    ) throws(ScenarioError) -> Value? {
        guard let value = object[key] else { return nil }
        guard let read = read(value) else { throw ScenarioError(path: path(of: key), reason: "must be \(kind)") }
        return read
    }

    func text(_ key: String) throws(ScenarioError) -> String? { try read(key, "a text") { $0.stringValue } }
    func flag(_ key: String) throws(ScenarioError) -> Bool? { try read(key, "true or false") { $0.boolValue } }
    func list(_ key: String) throws(ScenarioError) -> [JSONValue]? { try read(key, "a list") { $0.arrayValue } }
    func object(_ key: String) throws(ScenarioError) -> JSONObject? { try read(key, "an object") { $0.objectValue } }

    func number(_ key: String) throws(ScenarioError) -> Int? {
        try read(key, "a whole number from 1 on") { $0.intValue.flatMap { $0 > 0 ? Int(exactly: $0) : nil } }
    }

    /// A duration, written as in a configuration.
    func duration(_ key: String) throws(ScenarioError) -> Duration? {
        try read(key, "a time such as \"30s\"") { $0.stringValue.flatMap { DurationText($0)?.duration } }
    }

    /// A time of the wall clock: `2026-01-02T03:04:05Z`.
    func moment(_ key: String) throws(ScenarioError) -> Duration? {
        try read(key, "a time such as \"2026-01-02T03:04:05Z\"") { value in
            guard let text = value.stringValue, text.utf8.count == 20 else { return nil }
            let bytes = Array(text.utf8)
            let separators: [(Int, Character)] = [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":"), (19, "Z")]
            guard separators.allSatisfy({ bytes[$0.0] == $0.1.asciiValue }) else { return nil }
            func number(_ range: Range<Int>) -> Int? {
                guard bytes[range].allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
                return bytes[range].reduce(0) { $0 * 10 + Int($1 - 0x30) }
            }
            guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
                let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19)
            else { return nil }
            return HTTPDate(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
                .map { .seconds($0.seconds) }
        }
    }

    /// Header fields: a text for each name, or a list of texts.
    func fields(_ key: String) throws(ScenarioError) -> Fields {
        var fields = Fields()
        for (name, value) in try object(key) ?? [:] {
            let values = value.arrayValue ?? [value]
            for value in values {
                guard let text = value.stringValue else {
                    throw ScenarioError(
                        path: "\(path(of: key)).\(Printable.text(name))", reason: "must be a text, or texts")
                }
                fields.append(FieldName(name), text)
            }
        }
        return fields
    }

    /// A body: a text, `{"json": …}` or `{"hex": "00ff"}`.
    func bytes(_ key: String) throws(ScenarioError) -> Bytes? {
        guard let value = object[key] else { return nil }
        if let text = value.stringValue { return Bytes(text) }
        let members = try ScenarioMembers(value, at: path(of: key), known: ["json", "hex"])
        if let json = members["json"] { return Bytes(JSONWriter.write(json) as String) }
        guard let text = try members.text("hex"), let bytes = ScenarioMembers.bytes(hexadecimal: text) else {
            throw ScenarioError(path: members.path, reason: "must be a text, {\"json\": …} or {\"hex\": \"00ff\"}")
        }
        return Bytes(bytes)
    }

    static func bytes(hexadecimal text: String) -> [UInt8]? {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
