import PlugboardFieldValues
import PlugboardMessages

/// A media type with its parameters, as in `Content-Type` (RFC 9110 §8.3.1).
package struct MediaType: Sendable, Equatable {
    /// Type and subtype in lower case, without parameters: `text/html`.
    package let name: String
    /// Parameters: names in lower case, and values without quotes.
    private let parameters: [(name: String, value: String)]

    /// Reads the value of a field. Nil if it does not begin with a type and a subtype; invalid parameters are ignored.
    package init?(_ text: String) {
        var reader = FieldReader(text)
        reader.skipBlanks()
        guard let type = reader.token(), reader.skip(UInt8(ascii: "/")), let subtype = reader.token() else {
            return nil
        }
        name = "\(type)/\(subtype)".lowercased()
        parameters = reader.parameters()
    }

    /// The value of a parameter, such as `charset`, by its name in lower case; nil if the type does not have it.
    package subscript(parameter: String) -> String? { parameters.first { $0.name == parameter }?.value }

    /// Whether the type matches a pattern: `text/html` itself, `text/*`, `*/*`, or a suffix such as `*/*+json` (RFC
    /// 6839), which matches all types that end with it. Parameters of the pattern are ignored.
    package func matches(_ pattern: String) -> Bool {
        let pattern = pattern.utf8.prefix { $0 != UInt8(ascii: ";") && $0 > 0x20 }
        let name = name.utf8
        func isSame(_ left: some Sequence<UInt8>, _ right: some Sequence<UInt8>) -> Bool {
            left.elementsEqual(right) { $0 == lowercased($1) }
        }
        if isSame(name, pattern) || pattern.elementsEqual("*/*".utf8) { return true }
        if pattern.starts(with: "*/*+".utf8) {
            let suffix = pattern.dropFirst(3)
            return name.count > suffix.count && isSame(name.suffix(suffix.count), suffix)
        }
        guard pattern.suffix(2).elementsEqual("/*".utf8) else { return false }
        return isSame(name.prefix(pattern.count - 1), pattern.dropLast())
    }

    /// Compares types and parameters.
    package static func == (left: MediaType, right: MediaType) -> Bool {
        left.name == right.name && left.parameters.elementsEqual(right.parameters) { $0 == $1 }
    }
}

extension FieldReader {
    fileprivate mutating func parameters() -> [(name: String, value: String)] {
        var parameters: [(String, String)] = []
        while let byte = next {
            skipBlanks()
            guard skip(UInt8(ascii: ";")) else {
                // Skips what is not a parameter, up to the next one. A semicolon within quotes does not end it.
                if value() == nil { _ = skip(next ?? byte) }
                continue
            }
            skipBlanks()
            guard let name = token(), skip(UInt8(ascii: "=")) else { continue }
            // Some servers write a blank here, which RFC 9110 §5.6.6 does not allow.
            skipBlanks()
            guard let value = value() else { continue }
            parameters.append((name.lowercased(), value))
        }
        return parameters
    }

    private mutating func value() -> String? { quotedText()?.text ?? token() }
}
