import PlugboardKit

/// Replaces the values of secret members in a JSON text, which may be cut at its end or not be valid. All other bytes
/// are unchanged.
public struct SecretMembers: Sendable {
    private let names: [Wildcard]
    /// The tokens of JSON pointers (RFC 6901).
    private let pointers: [[String]]

    /// - Parameters:
    ///   - names: The names of members at any depth.
    ///   - pointers: JSON pointers of members.
    public init(names: [Wildcard], pointers: [String]) {
        self.names = names
        self.pointers = pointers.map { pointer in
            pointer.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map {
                String($0.replacing("~1", with: "/").replacing("~0", with: "~"))
            }
        }
    }

    /// Nil if no member is secret.
    public func redacted(_ text: [UInt8]) -> [UInt8]? {
        var reader = Reader(text, self)
        return reader.run() ? reader.output : nil
    }

    fileprivate func isSecret(_ name: String, within levels: [Reader.Level]) -> Bool {
        let lower = Array(name.lowercased().utf8)
        if names.contains(where: { $0.matches(lower) }) { return true }
        // Compares the depth first, because a text can be nested as deeply as it is long.
        return pointers.contains { $0.count == levels.count && zip(levels, $0).allSatisfy { $0.isAt($1) } }
    }
}

/// One pass over the text. Has its own stack of containers, so that deep nesting cannot overflow the thread's stack.
private struct Reader {
    enum Level {
        case object(key: String)
        case array(index: Int)

        func isAt(_ token: String) -> Bool {
            switch self {
            case .object(let key): key == token
            case .array(let index): "\(index)" == token
            }
        }
    }

    private let text: [UInt8]
    private let secrets: SecretMembers
    private var place = 0
    private var levels: [Level] = []
    /// The start of the text that is not copied yet.
    private var copied = 0
    private(set) var output: [UInt8] = []

    init(_ text: [UInt8], _ secrets: SecretMembers) { (self.text, self.secrets) = (text, secrets) }

    /// Returns whether something was replaced.
    mutating func run() -> Bool {
        while place < text.count {
            switch text[place] {
            case UInt8(ascii: "{"): levels.append(.object(key: ""))
            case UInt8(ascii: "["): levels.append(.array(index: 0))
            case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = levels.popLast()
            case UInt8(ascii: ","):
                if case .array(let index)? = levels.last { levels[levels.count - 1] = .array(index: index + 1) }
            case UInt8(ascii: "\""):
                takeString()
                continue
            default: break
            }
            place += 1
        }
        if copied == 0 { return false }
        output += text[copied...]
        return true
    }

    private mutating func takeString() {
        let start = place
        skipString()
        let end = place
        while place < text.count, isBlank(text[place]) { place += 1 }
        guard place < text.count, text[place] == UInt8(ascii: ":"), case .object? = levels.last else { return }
        place += 1
        let name = SecretText.name(text[start..<end])
        levels[levels.count - 1] = .object(key: name)
        if secrets.isSecret(name, within: levels) { replaceValue() }
    }

    private mutating func replaceValue() {
        while place < text.count, isBlank(text[place]) { place += 1 }
        output += text[copied..<place]
        output += "\"\(Redaction.mark)\"".utf8
        skipValue()
        copied = place
    }

    private mutating func skipValue() {
        var depth = 0
        while place < text.count {
            switch text[place] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return }
                depth -= 1
                if depth == 0 {
                    place += 1
                    return
                }
            case UInt8(ascii: ","): if depth == 0 { return }
            case UInt8(ascii: "\""):
                skipString()
                if depth == 0 { return }
                continue
            default: break
            }
            place += 1
        }
    }

    /// Skips a string, from its opening quotation mark to after its closing one, or to the end of the text.
    private mutating func skipString() {
        place += 1
        while place < text.count, text[place] != UInt8(ascii: "\"") {
            place += text[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        place = min(place + 1, text.count)
    }

    private func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}

private enum SecretText {
    /// The name that a JSON string spells; the bytes between the quotation marks if it is not valid.
    static func name(_ string: ArraySlice<UInt8>) -> String {
        if string.contains(UInt8(ascii: "\\")), let value = try? JSONParser.parse(string).stringValue { return value }
        return String(decoding: string.dropFirst().dropLast(), as: UTF8.self)
    }
}
