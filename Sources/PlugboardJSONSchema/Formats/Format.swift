import CPlugboardPCRE2

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

    /// Whether a string has the format. The bytes are valid UTF-8.
    func matches(_ text: UnsafeBufferPointer<UInt8>, _ scratch: Scratch) -> Bool {
        if let code = Format.codes[self] {
            let options = UInt32(PCRE2_NO_UTF_CHECK)
            guard
                pcre2_match_8(
                    code, text.baseAddress, text.count, 0, options, scratch.matchData, Format.unlimited) >= 0
            else { return false }
        }
        switch self {
        case .time: return Format.hasPossibleSecond(text)
        case .dateTime: return Format.hasPossibleSecond(UnsafeBufferPointer(rebasing: text.dropFirst(11)))
        case .email, .idnEmail:
            let start = text.lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? 0
            let domain = UnsafeBufferPointer(rebasing: text[start...])
            if domain.first == UInt8(ascii: "[") { return true }
            return self == .email ? HostFormats.isHostname(domain) : HostFormats.isInternational(domain)
        case .hostname: return HostFormats.isHostname(text)
        case .idnHostname: return HostFormats.isInternational(text)
        case .regex: return Pattern.isValid(String(decoding: text, as: UTF8.self))
        default: return true
        }
    }

    /// Whether a time, whose syntax is right, has no leap second or has it at 23:59:60 UTC (RFC 3339 appendix D).
    private static func hasPossibleSecond(_ time: UnsafeBufferPointer<UInt8>) -> Bool {
        func number(_ start: Int) -> Int { Int(time[start] & 0x0F) * 10 + Int(time[start + 1] & 0x0F) }
        guard number(6) == 60 else { return true }
        var minute = number(0) * 60 + number(3)
        if time[time.count - 1] | 0x20 != UInt8(ascii: "z") {
            let offset = number(time.count - 5) * 60 + number(time.count - 2)
            minute += time[time.count - 6] == UInt8(ascii: "-") ? offset : -offset
        }
        return (minute + 1440) % 1440 == 1439
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
