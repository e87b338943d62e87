import PlugboardCodecs
import PlugboardCore
import PlugboardJSON

/// How the URL of an endpoint is made of its parts.
enum EndpointURL {
    static func filled(
        _ path: String, with parameters: inout Parameters, of endpoint: String
    ) throws(PlugboardError) -> String {
        var text = ""
        var rest = path.utf8[...]
        while let open = rest.firstIndex(of: UInt8(ascii: "{")) {
            guard let close = rest[open...].firstIndex(of: UInt8(ascii: "}")) else { break }
            text += String(Substring(rest[..<open]))
            let name = String(Substring(rest[rest.index(after: open)..<close]))
            guard let value = parameters[name] else {
                throw PlugboardError(
                    .requestParameter, "The placeholder {\(name)} in the path of \(endpoint) has no value.")
            }
            text += encoded(value.stringValue ?? value.description)
            parameters[name] = nil
            rest = rest[rest.index(after: close)...]
        }
        return text + String(Substring(rest))
    }

    static func joined(_ base: String, _ prefix: String, _ path: String) -> String {
        base + (base.hasSuffix("/") ? "" : "/") + path
    }

    static func query(_ parameters: Parameters) -> String {
        parameters.map { "\($0.name)=\(encoded($0.value.stringValue ?? $0.value.description))" }
            .joined(separator: "&")
    }

    static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x41...0x5A, 0x61...0x7A, 0x30...0x39, 0x2D, 0x2E, 0x5F, 0x7E: bytes.append(byte)
            default: bytes += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
