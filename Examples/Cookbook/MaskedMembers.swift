import PlugboardKit

/// Changing a body while it flows: replaces the values of named members of JSON by `"***"`, in requests and responses.
struct MaskedMembers: Plugin {
    static let manifest = Manifest(
        id: "com.example.mask", version: "1.0.0", documentation: "Masks the values of named members of JSON.",
        // Further out than `decode` (350), so that responses are already decoded.
        priority: 330, hooks: [.request, .response])

    struct Settings: PluginSettings {
        @Setting("The members whose values are masked, in ASCII.", count: 1...100) var names = ["password"]
    }
    let names: Set<[UInt8]>

    init(settings: Settings, host: PluginHost) { names = Set(settings.names.map { Array($0.utf8) }) }

    func onRequest(_ exchange: borrowing Exchange) -> RequestVerdict {
        guard isJSON(exchange.request) else { return .next }
        exchange.transformRequestBody { [names] in MemberMask(names: names) }
        return .next
    }

    func onResponse(_ exchange: borrowing Exchange) -> ResponseVerdict {
        guard let response = exchange.response, isJSON(response) else { return .next }
        // Compressed bytes cannot be masked.
        if response[.contentEncoding] != nil { return .fail(encoded) }
        exchange.transformResponseBody { [names] in MemberMask(names: names) }
        return .next
    }

    private func isJSON(_ head: borrowing Head) -> Bool {
        let type = head[.contentType]?.prefix { $0 != ";" && $0 != " " }.lowercased() ?? ""
        return type == "application/json" || type.hasSuffix("+json")
    }

    private var encoded: PlugboardError {
        PlugboardError("com.example.mask.encoded", "The response's JSON is compressed. Enable the plugin decode.")
    }
}

/// Reads each byte once and keeps a few counters: takes linear time and constant memory, wherever pieces end.
///
/// A string is a member's name if a colon follows it, so nesting need not be tracked.
struct MemberMask: BodyTransformer {
    private enum State {
        case outside, string, escape, hex, beforeValue, skippedString, skippedEscape, skippedNest, skippedWord
    }

    let names: Set<[UInt8]>
    private let longest: Int
    private var state = State.outside
    /// The string that is being read, up to the longest name, with its escapes resolved.
    private var name: [UInt8] = []
    private var isName = false
    private var digits = 0
    private var code = 0
    private var depth = 0

    init(names: Set<[UInt8]>) {
        self.names = names
        longest = names.map(\.count).max() ?? 0
    }

    mutating func transform(_ piece: UnsafeRawBufferPointer, into output: inout [UInt8]) {
        output.reserveCapacity(piece.count)
        for byte in piece where !skips(byte) {
            if state == .beforeValue, !isSpace(byte) {
                output += "\"***\"".utf8
                begin(skipping: byte)
            } else {
                output.append(byte)
                read(byte)
            }
        }
    }

    func finish(into output: inout [UInt8]) throws(PlugboardError) {
        if state != .outside {
            throw PlugboardError("com.example.mask.cut", "The JSON ended within a string or a member.")
        }
    }

    private mutating func read(_ byte: UInt8) {
        switch (state, byte) {
        case (.outside, UInt8(ascii: "\"")):
            state = .string
            name.removeAll(keepingCapacity: true)
        case (.outside, UInt8(ascii: ":")) where isName:
            state = .beforeValue
        case (.outside, _):
            if !isSpace(byte) { isName = false }
        case (.string, UInt8(ascii: "\"")):
            state = .outside
            isName = names.contains(name)
        case (.string, UInt8(ascii: "\\")): state = .escape
        case (.string, _): add(byte)
        case (.escape, UInt8(ascii: "u")): (state, digits, code) = (.hex, 0, 0)
        case (.escape, _):
            state = .string
            // Masked names do not contain \n, \t and so on.
            add([UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/")].contains(byte) ? byte : 0)
        case (.hex, _):
            digits += 1
            code = code << 4 + (Character(UnicodeScalar(byte)).hexDigitValue ?? 0)
            if digits == 4 {
                state = .string
                add(UInt8(exactly: code).flatMap { $0 < 0x80 ? $0 : nil } ?? 0)
            }
        default: break
        }
    }

    /// Keeps one byte more than the longest name, which is enough to detect a difference.
    private mutating func add(_ byte: UInt8) {
        if name.count <= longest { name.append(byte) }
    }

    private mutating func begin(skipping byte: UInt8) {
        isName = false
        depth = 0
        state = .skippedWord
        if byte == UInt8(ascii: "\"") { state = .skippedString }
        if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") { (state, depth) = (.skippedNest, 1) }
    }

    /// Whether the byte belongs to a value that is omitted.
    private mutating func skips(_ byte: UInt8) -> Bool {
        switch (state, byte) {
        case (.skippedString, UInt8(ascii: "\\")): state = .skippedEscape
        case (.skippedString, UInt8(ascii: "\"")): state = depth == 0 ? .outside : .skippedNest
        case (.skippedEscape, _): state = .skippedString
        case (.skippedNest, UInt8(ascii: "\"")): state = .skippedString
        case (.skippedNest, UInt8(ascii: "{")), (.skippedNest, UInt8(ascii: "[")): depth += 1
        case (.skippedNest, UInt8(ascii: "}")), (.skippedNest, UInt8(ascii: "]")):
            depth -= 1
            if depth == 0 { state = .outside }
        case (.skippedWord, UInt8(ascii: ",")), (.skippedWord, UInt8(ascii: "}")), (.skippedWord, UInt8(ascii: "]")):
            state = .outside
            return false
        case (.skippedString, _), (.skippedNest, _), (.skippedWord, _): break
        default: return false
        }
        return true
    }

    private func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0a, 0x0d].contains(byte) }
}
