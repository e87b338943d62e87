/// The formats that are checked; other formats are ignored.
enum Format: String {
    case date, time, duration, email, hostname, ipv4, ipv6, uri, iri, uuid, regex
    case dateTime = "date-time"
    case idnEmail = "idn-email"
    case idnHostname = "idn-hostname"
    case uriReference = "uri-reference"
    case iriReference = "iri-reference"
    case uriTemplate = "uri-template"
    case jsonPointer = "json-pointer"
    case relativeJSONPointer = "relative-json-pointer"

    init?(_ name: String, _ draft: SchemaDraft) { self.init(rawValue: name) }

    /// Whether a string has the format. The bytes are valid UTF-8.
    func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        switch self {
        case .date: DateFormats.isDate(text)
        case .time: DateFormats.isTime(text)
        case .dateTime: DateFormats.isDateTime(text)
        case .duration: DateFormats.isDuration(text)
        case .email: MailFormats.isMailbox(text, isInternational: false)
        case .idnEmail: MailFormats.isMailbox(text, isInternational: true)
        case .hostname: HostFormats.isHostname(text)
        case .idnHostname: HostFormats.isInternational(text)
        case .ipv4: HostFormats.isIPv4(text)
        case .ipv6: HostFormats.isIPv6(text)
        case .uri: URIFormats.isURI(text, isInternational: false, isReference: false)
        case .uriReference: URIFormats.isURI(text, isInternational: false, isReference: true)
        case .iri: URIFormats.isURI(text, isInternational: true, isReference: false)
        case .iriReference: URIFormats.isURI(text, isInternational: true, isReference: true)
        case .uriTemplate: URIFormats.isTemplate(text)
        case .uuid: Format.isUUID(text)
        case .jsonPointer: Format.isPointer(text)
        case .relativeJSONPointer: Format.isRelativePointer(text)
        case .regex: Pattern.isValid(String(decoding: text, as: UTF8.self))
        }
    }

    // RFC 4122 §3
    private static func isUUID(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard text.count == 36 else { return false }
        for (position, byte) in text.enumerated() {
            switch position {
            case 8, 13, 18, 23: guard byte == UInt8(ascii: "-") else { return false }
            default: guard byte.hexValue != nil else { return false }
            }
        }
        return true
    }

    // RFC 6901 §3
    private static func isPointer(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = text.first else { return true }
        guard first == UInt8(ascii: "/") else { return false }
        for position in text.indices where text[position] == UInt8(ascii: "~") {
            guard position + 1 < text.count,
                text[position + 1] == UInt8(ascii: "0") || text[position + 1] == UInt8(ascii: "1")
            else { return false }
        }
        return true
    }

    private static func isRelativePointer(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var cursor = ByteCursor(text)
        guard cursor.integer() else { return false }
        if cursor.take("+") || cursor.take("-") {
            guard cursor.integer() else { return false }
        }
        if cursor.take("#") { return cursor.isAtEnd }
        return isPointer(cursor.rest)
    }
}

/// Reads bytes one after the other.
struct ByteCursor {
    let text: UnsafeBufferPointer<UInt8>
    var position = 0

    init(_ text: UnsafeBufferPointer<UInt8>) { self.text = text }

    var isAtEnd: Bool { position >= text.count }
    var next: UInt8? { position < text.count ? text[position] : nil }
    var rest: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: text[position...]) }

    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard let next, UInt32(next) == scalar.value else { return false }
        position += 1
        return true
    }

    /// Takes digits without a leading zero.
    mutating func integer() -> Bool {
        let start = position
        while let next, next.isDigit { position += 1 }
        return position == start + 1 || (position > start && text[start] != UInt8(ascii: "0"))
    }

    /// Takes exactly this many digits, and returns their value.
    mutating func number(_ count: Int) -> Int? {
        guard position + count <= text.count else { return nil }
        var value = 0
        for _ in 0..<count {
            guard text[position].isDigit else { return nil }
            value = value * 10 + Int(text[position] & 0x0F)
            position += 1
        }
        return value
    }
}

extension UInt8 {
    var hexValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
    var isLetter: Bool { (self | 0x20) >= UInt8(ascii: "a") && (self | 0x20) <= UInt8(ascii: "z") }
}
