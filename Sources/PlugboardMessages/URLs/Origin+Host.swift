import PlugboardSystem

extension Origin {
    /// A host in the normal form in which hosts are compared, as `Origin` describes it; nil if it is not valid.
    ///
    /// Addresses are read like libcurl reads them, so that it connects to the host that was compared. A name whose last
    /// label is a number and which is not an address is refused, because programs read it differently.
    package static func normalizedHost(_ text: some StringProtocol) -> String? {
        var text = String(text)
        return text.withUTF8(normalizedHost)
    }

    static func normalizedHost(_ text: UnsafeBufferPointer<UInt8>) -> String? {
        text.first == UInt8(ascii: "[") ? normalizedIPv6(text) : normalizedName(text)
    }

    private static func normalizedName(_ text: UnsafeBufferPointer<UInt8>) -> String? {
        let isDotted = text.last == UInt8(ascii: ".")
        let count = text.count - (isDotted ? 1 : 0)
        guard (1...255).contains(count) else { return nil }
        var label = 0
        for index in 0..<count {
            if text[index] == UInt8(ascii: ".") {
                guard index > label else { return nil }
                label = index + 1
            } else if !isHostByte(text[index]) {
                return nil
            }
        }
        guard label < count else { return nil }
        if isNumber(text[label..<count]) {
            // libcurl reads an address with a dot at its end as a name.
            return isDotted ? nil : normalizedIPv4(text[..<count])
        }
        return String(unsafeUninitializedCapacity: count) { lower in
            for index in 0..<count { lower[index] = lowercased(text[index]) }
            return count
        }
    }

    /// One to four numbers; each is a byte of the address, and the last one fills all bytes that remain.
    private static func normalizedIPv4(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> String? {
        var (address, freeBits, rest) = (0, 32, text)
        while let dot = rest.firstIndex(of: UInt8(ascii: ".")) {
            guard freeBits > 8, let byte = number(rest[..<dot]), byte <= 255 else { return nil }
            freeBits -= 8
            address |= byte << freeBits
            rest = rest[(dot + 1)...]
        }
        guard let last = number(rest), last < 1 << freeBits else { return nil }
        address |= last
        // Digit by digit, because joining four texts takes as long as the rest of reading a URL.
        return String(unsafeUninitializedCapacity: 15) { text in
            var count = 0
            func put(_ byte: Int) {
                text[count] = UInt8(byte)
                count += 1
            }
            for shift in [24, 16, 8, 0] {
                let byte = address >> shift & 255
                if shift < 24 { put(0x2E) }
                if byte > 99 { put(0x30 + byte / 100) }
                if byte > 9 { put(0x30 + byte / 10 % 10) }
                put(0x30 + byte % 10)
            }
            return count
        }
    }

    /// Decimal, octal after `0`, hexadecimal after `0x`; 2^32 if it is too large for an address.
    private static func number(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        let isHexadecimal = text.count > 1 && text.first == 0x30 && text[text.startIndex + 1] | 0x20 == 0x78
        let digits = text.dropFirst(isHexadecimal ? 2 : 0)
        let base = isHexadecimal ? 16 : digits.first == 0x30 ? 8 : 10
        var number = 0
        for digit in digits {
            guard let value = hexadecimalValue(digit), Int(value) < base else { return nil }
            number = min(number * base + Int(value), 1 << 32)
        }
        return digits.isEmpty ? nil : number
    }

    /// Whether a label consists of digits, even if they are not valid in their base.
    private static func isNumber(_ label: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        if label.allSatisfy({ (0x30...0x39).contains($0) }) { return true }
        return label.count > 1 && label.first == 0x30 && label[label.startIndex + 1] | 0x20 == 0x78
            && label.dropFirst(2).allSatisfy { hexadecimalValue($0) != nil }
    }

    /// RFC 6874: a zone follows after `%25`. It is the name of a network interface, whose case matters.
    private static func normalizedIPv6(_ text: UnsafeBufferPointer<UInt8>) -> String? {
        guard text.count < 80, text.last == UInt8(ascii: "]"), !text.contains(0) else { return nil }
        let inside = text.dropFirst().dropLast()
        let end = inside.firstIndex(of: UInt8(ascii: "%")) ?? inside.endIndex
        let zone = inside[end...]
        guard zone.isEmpty || isZone(zone) else { return nil }
        var address = in6_addr()
        var shortest = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_pton(AF_INET6, String(decoding: inside[..<end], as: UTF8.self), &address) == 1,
            inet_ntop(AF_INET6, &address, &shortest, socklen_t(shortest.count)) != nil
        else { return nil }
        let bytes = shortest.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return "[\(String(decoding: bytes + zone, as: UTF8.self))]"
    }

    /// libcurl accepts names of up to 15 bytes.
    private static func isZone(_ zone: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        zone.starts(with: "%25".utf8) && (4...18).contains(zone.count) && zone.dropFirst(3).allSatisfy(isUnreserved)
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        isUnreserved(byte) && byte != UInt8(ascii: "~")
    }
}
