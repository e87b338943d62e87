import PlugboardKit

/// One challenge of `WWW-Authenticate` (RFC 9110 §11.6.1).
struct Challenge: Equatable, Sendable {
    struct Parameter: Equatable, Sendable {
        var name: String
        var value: String
    }

    var scheme: String
    /// The text after the scheme, instead of parameters.
    var token68: String?
    var parameters: [Parameter] = []

    /// The challenges of all fields of a response, in order. Each field is read up to its first syntax error; the
    /// challenges before it count.
    static func parse(_ values: [String]) -> [Challenge] {
        values.flatMap { value in
            var scanner = ChallengeScanner(Array(value.utf8))
            return scanner.challenges()
        }
    }

    /// Whether a 401 asks for credentials of a scheme. A 401 without a readable challenge may ask for any.
    static func ask(_ values: [String], for scheme: Credential.Scheme) -> Bool {
        let challenges = parse(values)
        let name = scheme.name.lowercased()
        return challenges.isEmpty || challenges.contains { $0.scheme.lowercased() == name }
    }
}

/// Reads a list of challenges. Commas separate both challenges and their parameters, so a word is a parameter only if
/// `=` and a value follow.
private struct ChallengeScanner {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func challenges() -> [Challenge] {
        var found: [Challenge] = []
        while true {
            skip { $0 == UInt8(ascii: ",") || Self.isBlank($0) }
            guard let scheme = word(FieldName.isTokenByte) else { return found }
            var challenge = Challenge(scheme: scheme)
            if skip(Self.isBlank), let token = token68() {
                challenge.token68 = token
            } else if !parameters(of: &challenge) {
                return found
            }
            found.append(challenge)
        }
    }

    /// Reads the parameters that follow a scheme, up to the next one; false at a syntax error. A list may have empty
    /// elements, also before its first (RFC 9110 §5.6.1.2).
    private mutating func parameters(of challenge: inout Challenge) -> Bool {
        while true {
            let end = position
            skip { $0 == UInt8(ascii: ",") || Self.isBlank($0) }
            guard isParameterNext, let parameter = parameter() else {
                position = end
                return isAtEndOfElement
            }
            challenge.parameters.append(parameter)
            skip(Self.isBlank)
            guard isAtEndOfElement else { return false }
        }
    }

    private mutating func token68() -> String? {
        let start = position
        let letters = word(Self.isToken68Byte)
        let padding = word { $0 == UInt8(ascii: "=") }
        skip(Self.isBlank)
        if let letters, isAtEndOfElement { return letters + (padding ?? "") }
        position = start
        return nil
    }

    private var isParameterNext: Bool {
        var ahead = self
        return ahead.parameter() != nil
    }

    private mutating func parameter() -> Challenge.Parameter? {
        guard let name = word(FieldName.isTokenByte) else { return nil }
        skip(Self.isBlank)
        guard take(UInt8(ascii: "=")) else { return nil }
        skip(Self.isBlank)
        guard let value = take(UInt8(ascii: "\"")) ? restOfQuotedText() : word(FieldName.isTokenByte) else {
            return nil
        }
        return Challenge.Parameter(name: name, value: value)
    }

    /// Reads to the closing quote (RFC 9110 §5.6.4); nil if it is missing.
    private mutating func restOfQuotedText() -> String? {
        var text: [UInt8] = []
        while position < bytes.count {
            var byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
            if byte == UInt8(ascii: "\\") {
                guard position < bytes.count else { return nil }
                byte = bytes[position]
                position += 1
            }
            text.append(byte)
        }
        return nil
    }

    // MARK: Bytes

    private var isAtEndOfElement: Bool { position >= bytes.count || bytes[position] == UInt8(ascii: ",") }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    @discardableResult
    private mutating func skip(_ isSkipped: (UInt8) -> Bool) -> Bool {
        let start = position
        while position < bytes.count, isSkipped(bytes[position]) { position += 1 }
        return position > start
    }

    private mutating func word(_ isPart: (UInt8) -> Bool) -> String? {
        let start = position
        return skip(isPart) ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    private static func isToken68Byte(_ byte: UInt8) -> Bool { isAlphanumeric(byte) || "-._~+/".utf8.contains(byte) }
}
