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
            var reader = FieldReader(value)
            return reader.challenges()
        }
    }

    /// Whether a 401 asks for credentials of a scheme. A 401 without a readable challenge may ask for any.
    static func ask(_ values: [String], for scheme: Credential.Scheme) -> Bool {
        let challenges = parse(values)
        let name = scheme.name.lowercased()
        return challenges.isEmpty || challenges.contains { $0.scheme.lowercased() == name }
    }
}

extension FieldReader {
    /// Reads a list of challenges. Commas separate both challenges and their parameters, so a word is a parameter only
    /// if `=` and a value follow.
    fileprivate mutating func challenges() -> [Challenge] {
        var found: [Challenge] = []
        while true {
            skipSeparators()
            guard let scheme = token() else { return found }
            var challenge = Challenge(scheme: scheme)
            if skipBlanks(), let token = token68() {
                challenge.token68 = token
            } else if !parameters(of: &challenge) {
                return found
            }
            found.append(challenge)
        }
    }

    private mutating func skipSeparators() { skip { $0 == UInt8(ascii: ",") || FieldReader.isBlank($0) } }

    private var isAtEndOfElement: Bool { next == nil || next == UInt8(ascii: ",") }

    /// Reads the parameters that follow a scheme, up to the next one; false at a syntax error. A list may have empty
    /// elements, also before its first (RFC 9110 §5.6.1.2).
    private mutating func parameters(of challenge: inout Challenge) -> Bool {
        while true {
            let end = self
            skipSeparators()
            guard let parameter = parameter() else {
                self = end
                return isAtEndOfElement
            }
            challenge.parameters.append(parameter)
            skipBlanks()
            guard isAtEndOfElement else { return false }
        }
    }

    private mutating func token68() -> String? {
        let start = self
        let letters = word(Self.isToken68Byte)
        let padding = word { $0 == UInt8(ascii: "=") }
        skipBlanks()
        if let letters, isAtEndOfElement { return letters + (padding ?? "") }
        self = start
        return nil
    }

    private mutating func parameter() -> Challenge.Parameter? {
        guard let name = token() else { return nil }
        skipBlanks()
        guard skip(UInt8(ascii: "=")) else { return nil }
        skipBlanks()
        if let (text, isClosed) = quotedText() {
            return isClosed ? Challenge.Parameter(name: name, value: text) : nil
        }
        return token().map { Challenge.Parameter(name: name, value: $0) }
    }

    private static func isToken68Byte(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            || "-._~+/".utf8.contains(byte)
    }
}
