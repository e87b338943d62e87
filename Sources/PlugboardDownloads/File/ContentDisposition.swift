import PlugboardMessages

/// The name that a server gives a file: `filename` of `Content-Disposition` (RFC 6266).
enum ContentDisposition {
    /// The name as the server sent it, not yet made safe; nil if the field has no name.
    static func name(in fields: Fields) -> String? {
        guard let value = fields[.contentDisposition] else { return nil }
        let parameters = parameters(of: Array(value.utf8))
        // RFC 6266 §4.3: the extended form has precedence.
        if let extended = parameters.first(where: { $0.name == "filename*" }), let name = decoded(extended.value) {
            return name
        }
        return parameters.first { $0.name == "filename" }.map { String(decoding: $0.value, as: UTF8.self) }
    }

    /// `*( ";" name "=" ( token / quoted-string ) )`, after the type.
    private static func parameters(of bytes: [UInt8]) -> [(name: String, value: [UInt8])] {
        var parameters: [(name: String, value: [UInt8])] = []
        var rest = bytes[...]
        rest = rest.drop { $0 != UInt8(ascii: ";") }
        while rest.first == UInt8(ascii: ";") {
            rest = rest.dropFirst().drop(while: isSpace)
            var name = rest.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }
            rest = rest.dropFirst(name.count)
            while let last = name.last, isSpace(last) { name.removeLast() }
            guard rest.first == UInt8(ascii: "=") else { continue }
            rest = rest.dropFirst().drop(while: isSpace)
            let value = takeValue(&rest)
            // Two words are no name: `filename *`.
            if name.allSatisfy(FieldName.isTokenByte) {
                parameters.append((String(decoding: name, as: UTF8.self).lowercased(), value))
            }
            rest = rest.drop { $0 != UInt8(ascii: ";") }
        }
        return parameters
    }

    private static func takeValue(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
        guard rest.first == UInt8(ascii: "\"") else {
            // Some servers send spaces without quotes.
            var token = rest.prefix { $0 != UInt8(ascii: ";") }
            rest = rest.dropFirst(token.count)
            while let last = token.last, isSpace(last) { token = token.dropLast() }
            return Array(token)
        }
        rest = rest.dropFirst()
        var value: [UInt8] = []
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            guard byte == UInt8(ascii: "\\") else {
                value.append(byte)
                continue
            }
            if let quoted = rest.popFirst() { value.append(quoted) }
        }
        return value
    }

    /// `charset'language'value` (RFC 8187 §3.2), in UTF-8 or ISO-8859-1. Nil for anything else.
    private static func decoded(_ value: [UInt8]) -> String? {
        let parts = value.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        var isMalformed = false
        let bytes = PercentEncoding.decoded(parts[2], isMalformed: &isMalformed)
        guard !isMalformed else { return nil }
        switch String(decoding: parts[0], as: UTF8.self).lowercased() {
        case "utf-8": return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1":
            var text = ""
            for byte in bytes { text.unicodeScalars.append(Unicode.Scalar(byte)) }
            return text
        default: return nil
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
