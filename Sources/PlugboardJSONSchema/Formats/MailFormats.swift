/// Mail addresses (RFC 5321 §4.1.2, RFC 6531 §3.3).
enum MailFormats {
    static func isMailbox(_ text: UnsafeBufferPointer<UInt8>, isInternational: Bool) -> Bool {
        guard let at = text.lastIndex(of: UInt8(ascii: "@")) else { return false }
        let local = UnsafeBufferPointer(rebasing: text[..<at])
        let domain = UnsafeBufferPointer(rebasing: text[(at + 1)...])
        guard !local.isEmpty, isLocal(local, isInternational) else { return false }
        if domain.first == UInt8(ascii: "["), domain.last == UInt8(ascii: "]"), domain.count > 2 {
            return isLiteral(UnsafeBufferPointer(rebasing: domain[1..<domain.count - 1]))
        }
        return isInternational ? HostFormats.isInternational(domain) : HostFormats.isHostname(domain)
    }

    private static func isLocal(_ text: UnsafeBufferPointer<UInt8>, _ isInternational: Bool) -> Bool {
        if text[0] == UInt8(ascii: "\"") { return isQuoted(text, isInternational) }
        return text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { atom in
            !atom.isEmpty && atom.allSatisfy { isAtomByte($0) || (isInternational && $0 >= 0x80) }
        }
    }

    private static func isAtomByte(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
    }

    private static func isQuoted(_ text: UnsafeBufferPointer<UInt8>, _ isInternational: Bool) -> Bool {
        guard text.count >= 2, text[text.count - 1] == UInt8(ascii: "\"") else { return false }
        var position = 1
        while position < text.count - 1 {
            var byte = text[position]
            if byte == UInt8(ascii: "\\") {
                position += 1
                guard position < text.count - 1 else { return false }
                byte = text[position]
            } else if byte == UInt8(ascii: "\"") {
                return false
            }
            guard (0x20..<0x7F).contains(byte) || (isInternational && byte >= 0x80) else { return false }
            position += 1
        }
        return true
    }

    private static func isLiteral(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let tag = Array("ipv6:".utf8)
        if text.count > tag.count, zip(text, tag).allSatisfy({ ($0.isLetter ? $0 | 0x20 : $0) == $1 }) {
            return HostFormats.isIPv6(UnsafeBufferPointer(rebasing: text[tag.count...]))
        }
        return HostFormats.isIPv4(text)
    }
}
