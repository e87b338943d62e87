import PlugboardMessages

/// Decodes the text of XML documents in any encoding.
package enum XMLText {
    /// Decodes a document, without its byte order mark.
    ///
    /// The encoding is that of the mark, of the content type, of the document's declaration, or else UTF-8 (RFC 7303
    /// §3). The declaration is kept in the text without its encoding.
    ///
    /// Throws `body.decode` for encodings that the WHATWG Encoding standard does not define, such as UTF-7 and EBCDIC,
    /// and for invalid bytes.
    package static func decode(_ bytes: Bytes, contentType: String?) throws(PlugboardError) -> String {
        let (charset, marks) = try encoding(of: bytes, contentType)
        let bytes = bytes[marks..<bytes.count]
        let text: String?
        if charset == .utf8 {
            text = bytes.withUnsafeBytes { String(validating: $0, as: UTF8.self) }
        } else {
            let decoded = try charset.text(of: bytes)
            // Invalid bytes have become U+FFFD. A document that contains U+FFFD itself was damaged before.
            text = decoded.unicodeScalars.contains("\u{FFFD}") ? nil : decoded
        }
        guard let text else {
            throw PlugboardError(.bodyDecode, "The body is not XML that can be read: it is not valid in its encoding.")
        }
        return text
    }

    private static func encoding(
        of bytes: Bytes, _ contentType: String?
    ) throws(PlugboardError) -> (Charset, marks: Int) {
        if let marked = bytes.withUnsafeBytes(Charset.mark) { return marked }
        // Detects `<` in two bytes, which begins a document in no other encoding.
        let start = bytes[0..<min(bytes.count, 1024)].array
        if start.starts(with: [0x00, 0x3C]) { return (.utf16(isBigEndian: true), 0) }
        if start.starts(with: [0x3C, 0x00]) { return (.utf16(isBigEndian: false), 0) }
        if let label = contentType.flatMap({ MediaType($0) })?["charset"] { return (try charset(label), 0) }
        guard let label = declared(start) else { return (.utf8, 0) }
        let charset = try charset(label)
        // The declaration is readable as ASCII, so it was written before the document was converted to UTF-8.
        if case .utf16 = charset { return (.utf8, 0) }
        return (charset, 0)
    }

    private static func charset(_ label: String) throws(PlugboardError) -> Charset {
        guard let charset = Charset(label: label), charset != .replacement else {
            // A label can be any text, including one with control characters for a terminal.
            let isPlain = label.utf8.count <= 40 && label.utf8.allSatisfy { 0x21...0x7E ~= $0 }
            throw PlugboardError(
                .bodyDecode,
                "The body is not XML that can be read: its encoding \(isPlain ? "\(label) " : "")is not known.")
        }
        return charset
    }

    /// The encoding in `<?xml version="1.0" encoding="…"?>`.
    private static func declared(_ start: [UInt8]) -> String? {
        guard start.starts(with: "<?xml".utf8), let end = start.firstIndex(of: UInt8(ascii: ">")) else { return nil }
        // Values contain neither quotes nor the text between values.
        let pieces = start[..<end].split(omittingEmptySubsequences: false) { $0 == 0x22 || $0 == 0x27 }
        for (name, value) in zip(pieces, pieces.dropFirst()) {
            let name = name.filter { $0 > 0x20 && $0 != UInt8(ascii: "=") }
            if name.elementsEqual("encoding".utf8) { return String(decoding: value, as: UTF8.self) }
        }
        return nil
    }
}
