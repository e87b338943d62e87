import PlugboardMessages

/// The encoding of a text: one of the WHATWG Encoding standard, by its labels (§4.2).
enum Charset: Equatable {
    case utf8
    case utf16(isBigEndian: Bool)
    case windows1252
    /// Maps each byte from 80 on to one character of Unicode's private use area.
    case userDefined
    /// Encodings that were used to hide texts from filters, and are no longer read.
    case replacement
    /// Any other encoding for which libc has tables, by its name there.
    case system(String)

    /// The text of a body, in the charset of its byte order mark, of the content type, or else in UTF-8.
    ///
    /// Unknown labels mean UTF-8, as in browsers.
    static func text(of bytes: Bytes, contentType: String?) throws(PlugboardError) -> String {
        if let (charset, count) = bytes.withUnsafeBytes(mark) {
            return try charset.text(of: bytes[count..<bytes.count])
        }
        let label = contentType.flatMap { MediaType($0) }?["charset"]
        return try (label.flatMap(Charset.init(label:)) ?? .utf8).text(of: bytes)
    }

    /// The encoding with a label; nil if the standard does not define the label.
    init?(label: String) {
        let trimmed = label.utf8.drop { $0 <= 0x20 }.reversed().drop { $0 <= 0x20 }.reversed()
        let label = trimmed.map(lowercased)
        if label == Array("utf-8".utf8) {
            self = .utf8
            return
        }
        guard let name = CharsetLabels.name(of: label) else { return nil }
        switch name {
        case "UTF-8": self = .utf8
        case "UTF-16LE": self = .utf16(isBigEndian: false)
        case "UTF-16BE": self = .utf16(isBigEndian: true)
        case "WINDOWS-1252": self = .windows1252
        case "X-USER-DEFINED": self = .userDefined
        case "REPLACEMENT": self = .replacement
        default: self = .system(name)
        }
    }

    static func mark(_ bytes: UnsafeRawBufferPointer) -> (Charset, Int)? {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if bytes.starts(with: [0xFE, 0xFF]) { return (.utf16(isBigEndian: true), 2) }
        if bytes.starts(with: [0xFF, 0xFE]) { return (.utf16(isBigEndian: false), 2) }
        return nil
    }

    func text(of bytes: Bytes) throws(PlugboardError) -> String {
        switch self {
        case .utf8: return bytes.text
        case .utf16(let isBigEndian): return bytes.withUnsafeBytes { Charset.utf16($0, isBigEndian) }
        case .windows1252: return bytes.withUnsafeBytes(Charset.windows1252)
        case .userDefined:
            return bytes.withUnsafeBytes { bytes in
                String(decoding: bytes.lazy.map { $0 < 0x80 ? UInt16($0) : 0xF700 + UInt16($0) }, as: UTF16.self)
            }
        case .replacement: return bytes.isEmpty ? "" : "\u{FFFD}"
        case .system(let name): return try CharsetDecoder.text(of: bytes, charset: name)
        }
    }

    private static func utf16(_ bytes: UnsafeRawBufferPointer, _ isBigEndian: Bool) -> String {
        let units = (0..<bytes.count / 2).lazy.map { index in
            let unit = bytes.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self)
            return isBigEndian ? UInt16(bigEndian: unit) : UInt16(littleEndian: unit)
        }
        let text = String(decoding: units, as: UTF16.self)
        // Half a unit at the end forms one error together with half a pair before it.
        return bytes.count % 2 == 0 || units.last.map(UTF16.isLeadSurrogate) == true ? text : text + "\u{FFFD}"
    }

    /// Also decodes `iso-8859-1` and `us-ascii`, which the standard defines as labels of windows-1252.
    private static func windows1252(_ bytes: UnsafeRawBufferPointer) -> String {
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 5 / 4)
        for byte in bytes {
            let value = byte & 0xE0 == 0x80 ? high[Int(byte & 0x1F)] : UInt16(byte)
            switch value {
            case 0..<0x80: text.append(UInt8(value))
            case 0x80..<0x800: text += [UInt8(0xC0 | value >> 6), UInt8(0x80 | value & 0x3F)]
            default:
                text += [
                    UInt8(0xE0 | value >> 12), UInt8(0x80 | value >> 6 & 0x3F), UInt8(0x80 | value & 0x3F),
                ]
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The characters of the bytes 80 to 9F (Encoding standard, index windows-1252).
    private static let high: [UInt16] = [
        0x20AC, 0x81, 0x201A, 0x192, 0x201E, 0x2026, 0x2020, 0x2021, 0x2C6, 0x2030, 0x160, 0x2039, 0x152, 0x8D, 0x17D,
        0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x2DC, 0x2122, 0x161, 0x203A, 0x153, 0x9D,
        0x17E, 0x178,
    ]
}
