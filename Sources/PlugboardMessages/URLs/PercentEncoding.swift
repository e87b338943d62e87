/// Percent-encoding of paths and queries (RFC 3986 §2.1), and their dot segments, in time that grows with the length.
package enum PercentEncoding {
    /// The normal form (RFC 3986 §6.2.2.1, §6.2.2.2): escapes with digits in upper case, no escaped unreserved
    /// characters, and bytes that a URL cannot hold escaped.
    static func normalized(_ text: Substring.UTF8View) -> [UInt8] {
        let bytes = Array(text)
        // A percent sign without two digits stays; a decoded character after it could complete an escape, and change
        // the meaning of the text.
        guard bytes.indices.allSatisfy({ bytes[$0] != percent || value(of: bytes, $0) != nil }) else {
            return bytes.withUnsafeBytes(escaped)
        }
        var normal: [UInt8] = []
        normal.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if let value = value(of: bytes, index) {
                if isUnreserved(value) { normal.append(value) } else { append(value, to: &normal) }
                index += 3
            } else {
                append(raw: bytes[index], to: &normal)
                index += 1
            }
        }
        return normal
    }

    /// Appends a text in UTF-8, of which all but the unreserved characters are escaped (RFC 3986 §2.3).
    package static func append(escaping text: String, to bytes: inout [UInt8]) {
        append(escaping: text.utf8.span, to: &bytes)
    }

    /// Appends bytes, of which all but the unreserved characters are escaped.
    package static func append(escaping text: Span<UInt8>, to bytes: inout [UInt8]) {
        var start = 0
        for index in text.indices where !isUnreserved(text[index]) {
            append(text, start..<index, to: &bytes)
            append(text[index], to: &bytes)
            start = index + 1
        }
        append(text, start..<text.count, to: &bytes)
    }

    /// Appends bytes as they are.
    package static func append(_ text: Span<UInt8>, _ range: Range<Int>, to bytes: inout [UInt8]) {
        text.extracting(range).withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }

    /// Escapes spaces, control characters and bytes above ASCII, and changes nothing else.
    static func escaped(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        for byte in bytes { append(raw: byte, to: &text) }
        return text
    }

    /// A path without its dot segments (RFC 3986 §5.2.4).
    ///
    /// - Parameter decoding: Whether `%2e` is read as a dot. All other bytes are kept.
    package static func withoutDotSegments(_ path: [UInt8], decoding: Bool = false) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        // Most paths have none, and are returned without a copy.
        guard path.contains(UInt8(ascii: ".")) || decoding && path.contains(percent) else { return path }
        let isAbsolute = path.first == slash
        var kept: [ArraySlice<UInt8>] = []
        var endsInDots = false
        for segment in path.dropFirst(isAbsolute ? 1 : 0).split(separator: slash, omittingEmptySubsequences: false) {
            let count = dots(segment, decoding)
            endsInDots = count != nil
            if count == 2 { _ = kept.popLast() } else if count == nil { kept.append(segment) }
        }
        // The empty segment at the end is the slash there.
        if endsInDots, !kept.isEmpty || !isAbsolute { kept.append([]) }
        return (isAbsolute ? [slash] : []) + kept.joined(separator: [slash])
    }

    /// The number of dots that a segment consists of, one or two; nil for any other segment.
    private static func dots(_ segment: ArraySlice<UInt8>, _ decoding: Bool) -> Int? {
        var rest = segment
        var count = 0
        while let byte = rest.first {
            if byte == UInt8(ascii: ".") {
                rest = rest.dropFirst()
            } else if decoding, byte == percent, rest.count > 2, rest[rest.startIndex + 1] == UInt8(ascii: "2"),
                rest[rest.startIndex + 2] | 0x20 == UInt8(ascii: "e")
            {
                rest = rest.dropFirst(3)
            } else {
                return nil
            }
            count += 1
            if count > 2 { return nil }
        }
        return count == 0 ? nil : count
    }

    private static let percent = UInt8(ascii: "%")

    /// The bytes that a text stands for. A percent sign without two digits stays.
    ///
    /// - Parameters:
    ///   - plusIsSpace: Whether a plus sign stands for a space, as in forms.
    ///   - isMalformed: Set to true where a percent sign had no two digits.
    package static func decoded(
        _ text: some Sequence<UInt8>, plusIsSpace: Bool = false, isMalformed: inout Bool
    ) -> [UInt8] {
        let bytes = Array(text)
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if let value = value(of: bytes, index) {
                decoded.append(value)
                index += 3
            } else {
                if bytes[index] == percent { isMalformed = true }
                decoded.append(plusIsSpace && bytes[index] == UInt8(ascii: "+") ? 0x20 : bytes[index])
                index += 1
            }
        }
        return decoded
    }

    /// The bytes that a text stands for. A percent sign without two digits stays.
    package static func decoded(_ text: some Sequence<UInt8>, plusIsSpace: Bool = false) -> [UInt8] {
        var isMalformed = false
        return decoded(text, plusIsSpace: plusIsSpace, isMalformed: &isMalformed)
    }

    /// The byte that the escape at an index stands for; nil if there is no escape.
    private static func value(of bytes: [UInt8], _ index: Int) -> UInt8? {
        guard bytes[index] == percent, index + 2 < bytes.count, let high = hexadecimalValue(bytes[index + 1]),
            let low = hexadecimalValue(bytes[index + 2])
        else { return nil }
        return high << 4 | low
    }

    private static func append(raw byte: UInt8, to text: inout [UInt8]) {
        if byte > 0x20 && byte < 0x7F { text.append(byte) } else { append(byte, to: &text) }
    }

    /// Appends the escape of a byte.
    package static func append(_ byte: UInt8, to text: inout [UInt8]) {
        text.append(percent)
        text.append(digit(byte >> 4))
        text.append(digit(byte & 15))
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }
}

/// Whether a byte is an unreserved character (RFC 3986 §2.3).
func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x41...0x5A, 0x61...0x7A, 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        true
    default: false
    }
}

package func hexadecimalValue(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x37
    case 0x61...0x66: digit - 0x57
    default: nil
    }
}
