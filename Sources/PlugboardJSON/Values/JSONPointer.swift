/// JSON Pointers (RFC 6901).
public enum JSONPointer {
    /// A key as a step of a pointer (§3).
    public static func escaped(_ key: String) -> String {
        guard key.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else { return key }
        var bytes: [UInt8] = []
        for byte in key.utf8 {
            switch byte {
            case UInt8(ascii: "~"): bytes += "~0".utf8
            case UInt8(ascii: "/"): bytes += "~1".utf8
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The key that a step stands for (§4). A `~` without 0 or 1 after it stays.
    public static func key(_ step: some Sequence<UInt8>) -> String {
        var bytes: [UInt8] = []
        var isEscape = false
        for byte in step {
            if isEscape, byte == UInt8(ascii: "0") || byte == UInt8(ascii: "1") {
                if byte == UInt8(ascii: "1") { bytes[bytes.count - 1] = UInt8(ascii: "/") }
                isEscape = false
            } else {
                bytes.append(byte)
                isEscape = byte == UInt8(ascii: "~")
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The member with a key, or the element at an index without leading zeros (§4); nil if there is none.
    public static func part(_ key: String, of value: JSONValue) -> JSONValue? {
        guard case .array = value else { return value[key] }
        guard let index = Int(key), String(index) == key else { return nil }
        return value[index]
    }

    /// The part of a value that a pointer leads to; nil if there is none.
    public static func value(_ pointer: String, in root: JSONValue) -> JSONValue? {
        var value = root
        // Splits bytes, because a slash and a combining mark form one character.
        for step in pointer.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst() {
            guard let next = part(key(step), of: value) else { return nil }
            value = next
        }
        return value
    }

    /// A pointer as the fragment of a URI (§6), in which only percent signs are encoded.
    public static func fragment(_ pointer: String) -> String {
        let parts = pointer.utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
        return String(decoding: Array(parts.joined(separator: "%25".utf8)), as: UTF8.self)
    }

    /// The text that the fragment of a URI stands for; nil if it is not UTF-8. A `%` without two digits stays.
    public static func text(ofFragment fragment: String) -> String? {
        func digit(_ byte: UInt8) -> UInt8? { Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) } }
        var bytes: [UInt8] = []
        var rest = Array(fragment.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2, let high = digit(rest[rest.startIndex]),
                let low = digit(rest[rest.startIndex + 1])
            {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
