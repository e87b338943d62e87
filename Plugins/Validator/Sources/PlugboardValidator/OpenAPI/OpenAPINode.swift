import PlugboardKit

/// A part of an OpenAPI document with its JSON Pointer (RFC 6901).
struct OpenAPINode {
    let value: JSONValue
    let pointer: String

    init(_ value: JSONValue, _ pointer: String) {
        self.value = value
        self.pointer = pointer
    }

    subscript(_ key: String) -> OpenAPINode? {
        if case .array(let elements) = value {
            guard let index = Int(key), elements.indices.contains(index) else { return nil }
            return OpenAPINode(elements[index], "\(pointer)/\(key)")
        }
        return value[key].map { OpenAPINode($0, "\(pointer)/\(OpenAPINode.escape(key))") }
    }

    var members: [(key: String, node: OpenAPINode)] {
        (value.objectValue ?? [:]).map { ($0.key, OpenAPINode($0.value, "\(pointer)/\(OpenAPINode.escape($0.key))")) }
    }

    static func escape(_ key: String) -> String {
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

    /// A pointer as the fragment of a URI. Percent signs are encoded, because the compiler of schemas decodes them.
    static func fragment(_ pointer: String) -> String {
        var bytes: [UInt8] = []
        for byte in pointer.utf8 { bytes += byte == UInt8(ascii: "%") ? Array("%25".utf8) : [byte] }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The key that a step of a reference names, whose `%`, `~0` and `~1` are decoded.
    static func unescape(_ step: [UInt8]) -> String {
        func digit(_ byte: UInt8) -> UInt8? {
            switch byte {
            case 0x30...0x39: byte - 0x30
            case 0x41...0x46, 0x61...0x66: (byte | 0x20) - 0x57
            default: nil
            }
        }
        var decoded: [UInt8] = []
        var index = 0
        while index < step.count {
            if step[index] == UInt8(ascii: "%"), index + 2 < step.count, let high = digit(step[index + 1]),
                let low = digit(step[index + 2])
            {
                decoded.append(high << 4 | low)
                index += 3
            } else {
                decoded.append(step[index])
                index += 1
            }
        }
        var key: [UInt8] = []
        index = 0
        while index < decoded.count {
            let next = index + 1 < decoded.count ? decoded[index + 1] : 0
            if decoded[index] == UInt8(ascii: "~"), next == UInt8(ascii: "0") || next == UInt8(ascii: "1") {
                key.append(next == UInt8(ascii: "0") ? UInt8(ascii: "~") : UInt8(ascii: "/"))
                index += 2
            } else {
                key.append(decoded[index])
                index += 1
            }
        }
        return String(decoding: key, as: UTF8.self)
    }
}
