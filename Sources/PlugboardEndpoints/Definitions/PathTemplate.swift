import PlugboardKit

/// A path with placeholders, such as `boards/{board}/topics`.
struct PathTemplate: Sendable {
    enum Part: Sendable, Equatable {
        case text(String)
        case placeholder(String)
    }

    private(set) var parts: [Part] = []

    /// Reads the text in one pass. The error is the end of a sentence about the path.
    init(_ text: String) throws(Invalid) {
        var part: [UInt8] = []
        var isPlaceholder = false
        var names: Set<String> = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "{"):
                if isPlaceholder { throw Invalid("has a { within a placeholder; write {name}") }
                close(&part)
                isPlaceholder = true
            case UInt8(ascii: "}"):
                guard isPlaceholder else { throw Invalid("has a } without its {; write {name}") }
                guard !part.isEmpty else { throw Invalid("has a placeholder without a name; write {name}") }
                let name = String(decoding: part, as: UTF8.self)
                guard names.insert(name).inserted else {
                    throw Invalid("has the placeholder {\(Printable.text(name))} twice")
                }
                parts.append(.placeholder(name))
                part = []
                isPlaceholder = false
            case UInt8(ascii: "?"), UInt8(ascii: "#"):
                if !isPlaceholder { throw Invalid("must have neither ? nor #; write the query's parameters as such") }
                part.append(byte)
            case 0...0x1F, 0x7F: throw Invalid("must not hold control characters")
            default: part.append(byte)
            }
        }
        if isPlaceholder { throw Invalid("has a { without its }; write {name}") }
        close(&part)
    }

    private mutating func close(_ part: inout [UInt8]) {
        if !part.isEmpty { parts.append(.text(String(decoding: part, as: UTF8.self))) }
        part = []
    }

    /// The names of the placeholders, in their order.
    var placeholders: [String] {
        parts.compactMap { if case .placeholder(let name) = $0 { name } else { nil } }
    }

    struct Invalid: Error {
        let reason: String

        init(_ reason: String) { self.reason = reason }
    }
}
