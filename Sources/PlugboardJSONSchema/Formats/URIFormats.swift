/// Formats of URIs and IRIs (RFC 3986, RFC 3987), and of URI templates (RFC 6570).
enum URIFormats {
    static func isURI(
        _ text: UnsafeBufferPointer<UInt8>, isInternational: Bool, isReference: Bool
    ) -> Bool {
        var end = text.count
        if let hash = text.firstIndex(of: UInt8(ascii: "#")) {
            guard isPart(text[(hash + 1)...], "/?:@", isInternational) else { return false }
            end = hash
        }
        var path = text[..<end]
        if let mark = path.firstIndex(of: UInt8(ascii: "?")) {
            guard isPart(path[(mark + 1)...], "/?:@", isInternational, isQuery: true) else { return false }
            path = path[..<mark]
        }
        let colon = path.firstIndex(of: UInt8(ascii: ":"))
        let slash = path.firstIndex(of: UInt8(ascii: "/"))
        if let colon, slash.map({ colon < $0 }) ?? true {
            // A first segment with a colon would be a scheme.
            guard isScheme(path[..<colon]) else { return false }
            path = path[(colon + 1)...]
        } else if !isReference {
            return false
        }
        if path.count >= 2, path[path.startIndex] == UInt8(ascii: "/"), path[path.startIndex + 1] == UInt8(ascii: "/") {
            path = path.dropFirst(2)
            let end = path.firstIndex(of: UInt8(ascii: "/")) ?? path.endIndex
            guard isAuthority(path[..<end], isInternational) else { return false }
            path = path[end...]
        }
        return isPart(path, "/:@", isInternational)
    }

    private static func isScheme(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        guard let first = text.first, first.isLetter else { return false }
        return text.allSatisfy { $0.isLetter || $0.isDigit || "+-.".utf8.contains($0) }
    }

    private static func isAuthority(_ text: Slice<UnsafeBufferPointer<UInt8>>, _ isInternational: Bool) -> Bool {
        var host = text
        if let at = text.lastIndex(of: UInt8(ascii: "@")) {
            guard isPart(text[..<at], ":", isInternational) else { return false }
            host = text[(at + 1)...]
        }
        if host.first == UInt8(ascii: "[") {
            guard let end = host.firstIndex(of: UInt8(ascii: "]")) else { return false }
            guard isLiteral(host[(host.startIndex + 1)..<end]) else { return false }
            return isPort(host[(end + 1)...])
        }
        let colon = host.firstIndex(of: UInt8(ascii: ":")) ?? host.endIndex
        return isPart(host[..<colon], "", isInternational) && isPort(host[colon...])
    }

    private static func isPort(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        guard let first = text.first else { return true }
        return first == UInt8(ascii: ":") && text.dropFirst().allSatisfy(\.isDigit)
    }

    private static func isLiteral(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        guard text.first.map({ $0 | 0x20 == UInt8(ascii: "v") }) == true else {
            return HostFormats.isIPv6(UnsafeBufferPointer(rebasing: text))
        }
        guard let dot = text.firstIndex(of: UInt8(ascii: ".")) else { return false }
        let version = text[(text.startIndex + 1)..<dot]
        let rest = text[(dot + 1)...]
        return !version.isEmpty && version.allSatisfy { $0.hexValue != nil } && !rest.isEmpty
            && rest.allSatisfy { isUnreserved($0) || isSubDelimiter($0) || $0 == UInt8(ascii: ":") }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || "-._~".utf8.contains(byte)
    }

    private static func isSubDelimiter(_ byte: UInt8) -> Bool { "!$&'()*+,;=".utf8.contains(byte) }

    /// Whether a text consists of unreserved characters, sub-delimiters, escapes and additional characters of a part.
    private static func isPart(
        _ text: Slice<UnsafeBufferPointer<UInt8>>, _ further: StaticString, _ isInternational: Bool,
        isQuery: Bool = false
    ) -> Bool {
        var position = text.startIndex
        while position < text.endIndex {
            let byte = text[position]
            if byte == UInt8(ascii: "%") {
                guard isEscape(text, position) else { return false }
                position += 3
            } else if byte >= 0x80 {
                let rest = String(decoding: text[position...].prefix(4), as: UTF8.self).unicodeScalars
                guard isInternational, let scalar = rest.first, isIRICharacter(scalar, isQuery) else { return false }
                position += UTF8.width(scalar)
            } else {
                let isFurther = (0..<further.utf8CodeUnitCount).contains { further.utf8Start[$0] == byte }
                guard isUnreserved(byte) || isSubDelimiter(byte) || isFurther else { return false }
                position += 1
            }
        }
        return true
    }

    private static func isEscape(_ text: Slice<UnsafeBufferPointer<UInt8>>, _ position: Int) -> Bool {
        position + 2 < text.endIndex && text[position + 1].hexValue != nil && text[position + 2].hexValue != nil
    }

    // RFC 3987 §2.2: ucschar, and iprivate in queries.
    private static func isIRICharacter(_ scalar: Unicode.Scalar, _ isQuery: Bool) -> Bool {
        switch scalar.value {
        case 0xA0...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFEF: true
        case 0xE000...0xF8FF, 0xF0000...0xFFFFD, 0x100000...0x10FFFD: isQuery
        case 0x10000...0xEFFFF: scalar.value & 0xFFFE != 0xFFFE && (scalar.value < 0xE0000 || scalar.value >= 0xE1000)
        default: false
        }
    }

    // RFC 6570 §2
    static func isTemplate(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var position = 0
        while position < text.count {
            let byte = text[position]
            switch byte {
            case UInt8(ascii: "{"):
                guard let end = text[position...].firstIndex(of: UInt8(ascii: "}")),
                    isExpression(text[(position + 1)..<end])
                else { return false }
                position = end + 1
            case UInt8(ascii: "%"):
                guard isEscape(text[...], position) else { return false }
                position += 3
            case 0...0x20, 0x7F, UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"),
                UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "}"):
                return false
            default: position += 1
            }
        }
        return true
    }

    private static func isExpression(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        var list = text
        if let first = text.first, "+#./;?&=,!@|".utf8.contains(first) { list = text.dropFirst() }
        return list.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).allSatisfy(isVariable)
    }

    private static func isVariable(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        var name = text
        if name.last == UInt8(ascii: "*") {
            name = name.dropLast()
        } else if let colon = name.firstIndex(of: UInt8(ascii: ":")) {
            let length = name[(colon + 1)...]
            guard (1...4).contains(length.count), length.allSatisfy(\.isDigit), length.first != UInt8(ascii: "0") else {
                return false
            }
            name = name[..<colon]
        }
        return name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { part in
            guard !part.isEmpty else { return false }
            var position = part.startIndex
            while position < part.endIndex {
                if part[position] == UInt8(ascii: "%") {
                    guard isEscape(part, position) else { return false }
                    position += 3
                } else {
                    guard part[position].isLetter || part[position].isDigit || part[position] == UInt8(ascii: "_")
                    else {
                        return false
                    }
                    position += 1
                }
            }
            return true
        }
    }
}
