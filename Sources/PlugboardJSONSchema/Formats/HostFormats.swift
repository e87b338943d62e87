import CPlugboardIDN2
import CPlugboardPCRE2

/// Formats of host names.
enum HostFormats {
    // RFC 1123 §2.1, and RFC 5890 §2.3.2.1 for labels that begin with xn--.
    static func isHostname(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard (1...253).contains(text.count) else { return false }
        for label in text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            let label = UnsafeBufferPointer(rebasing: label)
            guard isLabel(label) else { return false }
            if label.count >= 4, label[2] == UInt8(ascii: "-"), label[3] == UInt8(ascii: "-") {
                guard isALabel(label) else { return false }
            }
        }
        return true
    }

    static func isLabel(_ label: UnsafeBufferPointer<UInt8>) -> Bool {
        guard (1...63).contains(label.count), label.first != UInt8(ascii: "-"), label.last != UInt8(ascii: "-") else {
            return false
        }
        return label.allSatisfy { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "-") }
    }

    /// Whether an ASCII label is the Punycode of a valid label.
    private static func isALabel(_ label: UnsafeBufferPointer<UInt8>) -> Bool {
        guard label[0] | 0x20 == UInt8(ascii: "x"), label[1] | 0x20 == UInt8(ascii: "n") else { return false }
        var ascii = Array(label).map { $0.isLetter ? $0 | 0x20 : $0 }
        ascii.append(0)
        var unicode: UnsafeMutablePointer<CChar>?
        let isDecoded = ascii.withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: CChar.self) { idn2_to_unicode_8z8z($0.baseAddress, &unicode, 0) }
        }
        defer { if let unicode { idn2_free(unicode) } }
        guard isDecoded == IDN2_OK.rawValue, let unicode else { return false }
        return encoded(unicode) == Array(ascii.dropLast())
    }

    /// The Punycode of a label that follows IDNA2008's rules for registration (RFC 5891 §4); nil for others.
    private static func encoded(_ label: UnsafePointer<CChar>) -> [UInt8]? {
        var name: UnsafeMutablePointer<UInt8>?
        let result = label.withMemoryRebound(to: UInt8.self, capacity: 1) { idn2_register_u8($0, nil, &name, 0) }
        defer { if let name { idn2_free(name) } }
        guard result == IDN2_OK.rawValue, let name, !breaksDirection(label) else { return nil }
        return Array(UnsafeBufferPointer(start: name, count: length(name)))
    }

    /// Whether a right-to-left label breaks rule 3 or 4 of RFC 5893 §2, which libidn2 does not check: its last
    /// characters, and a mixture of both kinds of digits.
    private static func breaksDirection(_ label: UnsafePointer<CChar>) -> Bool {
        let data = pcre2_match_data_create_8(1, nil)
        defer { pcre2_match_data_free_8(data) }
        return label.withMemoryRebound(to: UInt8.self, capacity: 1) { label in
            pcre2_match_8(wrongDirection, label, length(label), 0, 0, data, nil) >= 0
        }
    }

    // Safe because a compiled pattern never changes: several threads may match with it.
    private nonisolated(unsafe) static let wrongDirection = Format.compile(
        #"^[\p{bc:r}\p{bc:al}](?:.*\p{bc:en}.*\p{bc:an}|.*\p{bc:an}.*\p{bc:en}|"#
            + #".*[^\p{bc:r}\p{bc:al}\p{bc:en}\p{bc:an}\p{bc:nsm}]\p{bc:nsm}*$)"#, 0)

    private static func length(_ text: UnsafePointer<UInt8>) -> Int {
        var count = 0
        while text[count] != 0 { count += 1 }
        return count
    }

    // RFC 5890 §2.3.2.3
    static func isInternational(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard !text.isEmpty, text.count <= 1024 else { return false }
        var labels: [[UInt8]] = [[]]
        for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
            switch scalar {
            case ".", "\u{3002}", "\u{FF0E}", "\u{FF61}": labels.append([])
            case "\0": return false
            default: labels[labels.count - 1] += Array(String(scalar).utf8)
            }
        }
        var total = labels.count - 1
        for label in labels {
            guard let count = encodedCount(label) else { return false }
            total += count
        }
        return total <= 253
    }

    private static func encodedCount(_ label: [UInt8]) -> Int? {
        guard label.contains(where: { $0 >= 0x80 }) else {
            return label.withUnsafeBufferPointer { isHostname($0) } ? label.count : nil
        }
        let punycode: [UInt8]? = (label + [0]).withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: CChar.self) { text in text.baseAddress.flatMap { encoded($0) } }
        }
        guard let punycode, punycode.count <= 63 else { return nil }
        return punycode.count
    }
}
