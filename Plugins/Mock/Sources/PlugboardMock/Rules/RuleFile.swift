import PlugboardKit
import PlugboardMockOptions

/// Reads files of rules. Blocks. Each error is `configuration`, and names the file and the place.
struct RuleFile {
    private let path: String
    /// The members that give bytes of a body.
    private static let bodies = ["json", "text", "base64", "file"]
    /// The largest file that is read.
    static let limit = ByteCount.mebibytes(64)
    /// The status codes that a response of a rule can have.
    static let statuses: ClosedRange<Int64> = 200...599
    /// The folder at which relative paths in rules start.
    private let folder: String

    init(_ path: String) {
        self.path = path
        folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    }

    /// The bytes of a file of rules, of a body or of HAR.
    static func bytes(of path: String) throws(PlugboardError) -> [UInt8] {
        try WholeFile.bytes(of: path, limit: limit, code: .configuration)
    }

    /// The JSON of the file, which can have comments and trailing commas.
    func value() throws(PlugboardError) -> JSONValue {
        var options = JSONParser.configuration
        options.sizeLimit = RuleFile.limit.bytes
        let bytes = try RuleFile.bytes(of: path)
        do throws(JSONError) { return try JSONParser.parse(bytes, options: options) } catch {
            throw PlugboardError(.configuration, "\(path) is not JSON: \(error).")
        }
    }

    func rules() throws(PlugboardError) -> [Rule] {
        let file = try RuleObject(try value(), "", path)
        try file.allow(["rules"])
        return try file.list("rules").enumerated().map { (index, value) throws(PlugboardError) in
            try rule(try RuleObject(value, "rules[\(index)]", path), index)
        }
    }

    private func rule(_ object: RuleObject, _ index: Int) throws(PlugboardError) -> Rule {
        try object.allow(["name", "request", "response", "responses", "times", "probability"])
        try object.allowOne(of: ["response", "responses"])
        let responses: [JSONValue]
        if let one = object["response"] {
            responses = [one]
        } else {
            responses = try object.list("responses")
        }
        guard !responses.isEmpty else { throw object.error("needs response, or a list responses") }
        let several = object["response"] == nil
        var rule = Rule(
            name: try object.text("name") ?? "rules[\(index)]",
            responses: try responses.enumerated().map { (index, value) throws(PlugboardError) in
                let place = several ? "\(object.place).responses[\(index)]" : "\(object.place).response"
                return try response(try RuleObject(value, place, path))
            })
        rule.times = try object.number("times", in: 1...1_000_000_000)
        rule.probability = try object.number("probability", in: 0...100) ?? 100
        guard let request = try object.object("request") else { return rule }
        try request.allow(["method", "url", "fields", "body"])
        rule.method = try request.text("method")?.uppercased()
        rule.url = try request.text("url").map { Wildcard($0) }
        rule.body = request["body"]
        for (name, value) in try request.texts("fields") { rule.fields.append((FieldName(name), Wildcard(value))) }
        return rule
    }

    private func response(_ object: RuleObject) throws(PlugboardError) -> MockResponse {
        try object.allow([
            "status", "fields", "json", "text", "base64", "file", "chunks", "breakAfter", "delay", "fail", "reason",
        ])
        try object.allowOne(of: RuleFile.bodies + ["chunks"])
        for name in RuleFile.bodies + ["chunks", "status", "fields", "breakAfter"] {
            try object.allowOne(of: [name, "fail"])
        }
        let delay = try object.duration("delay") ?? .zero
        if let code = try object.text("fail") {
            guard FieldCheck.isCode(code) else {
                throw object.error("must have a code such as transport.reset as fail")
            }
            let reason = try object.text("reason") ?? "The plugin mock makes the request fail."
            return MockResponse(outcome: .failure(code: code, reason: reason), delay: delay)
        }
        var fields = Fields()
        for (name, value) in try object.texts("fields") {
            guard FieldCheck.isValid(name, value) else {
                throw object.error("has a field \(Printable.text(name)) that is not valid")
            }
            fields.append(FieldName(name), value)
        }
        if object["json"] != nil, !fields.contains(.contentType) { fields.append(.contentType, "application/json") }
        var steps = try body(object)
        if let count = try object.number("breakAfter", in: 0...1_000_000_000) { steps = broken(steps, after: count) }
        let status = try object.number("status", in: RuleFile.statuses) ?? 200
        return MockResponse(outcome: .response(status: status, fields: fields, body: steps), delay: delay)
    }

    private func body(_ object: RuleObject) throws(PlugboardError) -> [MockResponse.MockStep] {
        guard object["chunks"] != nil else { return try content(object).map { [.bytes($0)] } ?? [] }
        var steps: [MockResponse.MockStep] = []
        for (index, value) in try object.list("chunks").enumerated() {
            let chunk = try RuleObject(value, "\(object.place).chunks[\(index)]", path)
            try chunk.allow(["json", "text", "base64", "file", "pause"])
            try chunk.allowOne(of: RuleFile.bodies)
            if let pause = try chunk.duration("pause") { steps.append(.pause(pause)) }
            if let bytes = try content(chunk) { steps.append(.bytes(bytes)) }
        }
        return steps
    }

    private func content(_ object: RuleObject) throws(PlugboardError) -> Bytes? {
        if let value = object["json"] { return Bytes(JSONWriter.write(value) as [UInt8]) }
        if let text = try object.text("text") { return Bytes(text) }
        if let text = try object.text("base64") {
            guard let bytes = Base64.decode(text) else { throw object.error("has no Base64 in base64") }
            return Bytes(bytes)
        }
        guard let file = try object.text("file") else { return nil }
        return Bytes(try RuleFile.bytes(of: file.hasPrefix("/") ? file : folder + file))
    }

    private func broken(_ steps: [MockResponse.MockStep], after count: Int) -> [MockResponse.MockStep] {
        var kept: [MockResponse.MockStep] = []
        var left = count
        for step in steps where left > 0 {
            guard case .bytes(let bytes) = step else {
                kept.append(step)
                continue
            }
            let prefix = bytes.withUnsafeBytes { [UInt8]($0.prefix(left)) }
            kept.append(.bytes(Bytes(prefix)))
            left -= prefix.count
        }
        return kept + [.end]
    }
}

/// An object of a file of rules, with its place for errors.
struct RuleObject {
    let place: String
    private let object: JSONObject
    private let path: String

    init(_ value: JSONValue, _ place: String, _ path: String) throws(PlugboardError) {
        guard let object = value.objectValue else {
            throw PlugboardError(.configuration, "\(path): \(place.isEmpty ? "the file" : place) must be an object.")
        }
        (self.object, self.place, self.path) = (object, place, path)
    }

    subscript(name: String) -> JSONValue? { object[name] }

    func allow(_ names: [String]) throws(PlugboardError) {
        guard let unknown = object.keys.first(where: { !names.contains($0) }) else { return }
        throw error("has no member \(Printable.text(unknown)); it can have \(names.joined(separator: ", "))")
    }

    /// Refuses several of these members, of which all but one would have no effect.
    func allowOne(of names: [String]) throws(PlugboardError) {
        let given = names.filter { object[$0] != nil }
        if given.count > 1 { throw error("has \(given[0]) and \(given[1]), which exclude each other") }
    }

    func text(_ name: String) throws(PlugboardError) -> String? {
        guard let value = object[name] else { return nil }
        guard let text = value.stringValue else { throw error("must have a text as \(name)") }
        return text
    }

    func number(_ name: String, in range: ClosedRange<Int64>) throws(PlugboardError) -> Int? {
        guard let value = object[name] else { return nil }
        guard let number = value.intValue, range.contains(number) else {
            throw error("must have a number from \(range.lowerBound) to \(range.upperBound) as \(name)")
        }
        return Int(number)
    }

    func duration(_ name: String) throws(PlugboardError) -> Duration? {
        guard let text = try text(name) else { return nil }
        guard let duration = DurationText(text)?.duration else {
            throw error("must have a time such as 100ms as \(name)")
        }
        return duration
    }

    func list(_ name: String) throws(PlugboardError) -> [JSONValue] {
        guard let list = object[name]?.arrayValue else { throw error("must have a list \(name)") }
        return list
    }

    func object(_ name: String) throws(PlugboardError) -> RuleObject? {
        guard let value = object[name] else { return nil }
        return try RuleObject(value, place.isEmpty ? name : "\(place).\(name)", path)
    }

    func texts(_ name: String) throws(PlugboardError) -> [(name: String, value: String)] {
        guard let object = try object(name) else { return [] }
        return try object.object.map { (key, _) throws(PlugboardError) in (key, try object.text(key) ?? "") }
    }

    func error(_ what: String) -> PlugboardError {
        PlugboardError(.configuration, "\(path): \(place.isEmpty ? "the file" : place) \(what).")
    }
}

/// Checks fields and codes of errors as the kernel does.
enum FieldCheck {
    /// A token, and a value without control characters (RFC 9110 §5.1, §5.5).
    static func isValid(_ name: String, _ value: String) -> Bool {
        var reader = FieldReader(name)
        return reader.token() == name && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    /// Words of letters, digits, `-` and `_`, joined by dots.
    static func isCode(_ code: String) -> Bool {
        code.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { word in
            !word.isEmpty && word.utf8.allSatisfy { FieldCheck.isLetterOrDigit($0) || $0 == 0x2D || $0 == 0x5F }
        }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}
