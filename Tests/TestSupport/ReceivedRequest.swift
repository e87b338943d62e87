/// A received request. Texts have one character for each byte (Latin-1), so that no byte is lost or changed.
package struct ReceivedRequest: Sendable {
    package typealias Field = (name: String, value: String)

    package var method = ""
    package var target = ""
    package var fields: [Field] = []
    /// The bytes of the head as they were received, including the empty line at its end.
    package var head: [UInt8] = []
    /// The content, with chunks joined (RFC 9112 §7.1).
    package var body: [UInt8] = []
    package var trailers: [Field] = []
    /// The number of its connection, counted from 1.
    package var connection = 0

    /// The values of all fields with that name, in any case, joined as in RFC 9110 §5.3; nil if there are none.
    package subscript(name: String) -> String? {
        let values = values(name)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// The values of all fields with that name, in any case, in order.
    package func values(_ name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    /// The content as UTF-8, with U+FFFD for invalid bytes.
    package var text: String { String(decoding: body, as: UTF8.self) }

    /// The target up to its query.
    package var path: String { String(target.prefix { $0 != "?" }) }
}

extension String {
    /// Makes one character of each byte.
    package init(latin1 bytes: some Sequence<UInt8>) {
        var text = String.UnicodeScalarView()
        for byte in bytes { text.append(Unicode.Scalar(byte)) }
        self.init(text)
    }
}

extension [UInt8] {
    /// Makes one byte of each character; a character above U+00FF becomes "?".
    package init(latin1 text: String) {
        self = text.unicodeScalars.map { UInt8(exactly: $0.value) ?? UInt8(ascii: "?") }
    }
}
