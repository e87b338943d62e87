import PlugboardFieldValues
import PlugboardMessages

/// The name that a server gives a file: `filename` of `Content-Disposition` (RFC 6266).
package enum ContentDisposition {
    /// The name as the server sent it, not yet made safe; nil if the field has no name.
    package static func name(in fields: Fields) -> String? {
        guard let value = fields[.contentDisposition] else { return nil }
        let parameters = parameters(of: value)
        // RFC 6266 §4.3: the extended form has precedence.
        if let extended = parameters.first(where: { $0.name == "filename*" }),
            let name = decoded(Array(extended.value.utf8))
        {
            return name
        }
        return parameters.first { $0.name == "filename" }?.value
    }

    /// The parameters after the type: `*( ";" name "=" ( token / quoted-string ) )`.
    private static func parameters(of field: String) -> [(name: String, value: String)] {
        var parameters: [(name: String, value: String)] = []
        var reader = FieldReader(field)
        reader.skip { $0 != UInt8(ascii: ";") }
        while reader.skip(UInt8(ascii: ";")) {
            reader.skipBlanks()
            let name = trimmed(reader.word { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") })
            guard reader.skip(UInt8(ascii: "=")) else { continue }
            reader.skipBlanks()
            // Some servers send spaces without quotes.
            let value = reader.quotedText()?.text ?? trimmed(reader.word { $0 != UInt8(ascii: ";") })
            // A name with a space, such as `filename *`, is invalid.
            if name.utf8.allSatisfy(FieldName.isTokenByte) { parameters.append((name.lowercased(), value)) }
            reader.skip { $0 != UInt8(ascii: ";") }
        }
        return parameters
    }

    /// The text without blanks at its end.
    private static func trimmed(_ text: String?) -> String {
        var text = text ?? ""
        while let last = text.utf8.last, FieldReader.isBlank(last) { text.unicodeScalars.removeLast() }
        return text
    }

    /// The decoded value of `charset'language'value` (RFC 8187 §3.2), in UTF-8 or ISO-8859-1. Nil for anything else.
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
}
