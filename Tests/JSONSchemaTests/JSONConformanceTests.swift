import PlugboardJSON
import PlugboardJSONCoding
import PlugboardJSONSchema
import TestSupport
import Testing

/// The documents of JSONTestSuite: those that begin with `y` are JSON, with `n` not, and a reader may decide on the
/// others.
@Suite(
    .enabled(
        if: Conformance.path("text/json/test_parsing") != nil, "skipped: PLUGBOARD_CONFORMANCE has no text/json"))
struct `Every reader of JSON agrees with the public documents` {
    /// Takes any value, without a closer look.
    private struct Anything: Decodable {
        init(from decoder: any Decoder) throws {
            if var list = try? decoder.unkeyedContainer() {
                while !list.isAtEnd { _ = try list.decode(Anything.self) }
            } else if let object = try? decoder.container(keyedBy: Key.self) {
                for key in object.allKeys { _ = try object.decode(Anything.self, forKey: key) }
            } else {
                let value = try decoder.singleValueContainer()
                if value.decodeNil() || (try? value.decode(Bool.self)) != nil { return }
                if (try? value.decode(String.self)) == nil { _ = try value.decode(JSONNumber.self) }
            }
        }

        private struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
    }

    private static let schema = Result { try JSONSchema(["items": ["minLength": 0]]) }

    private static let readers: [(name: String, read: @Sendable ([UInt8]) throws -> Void)] = [
        ("values", { _ = try JSONParser.parse($0) }),
        ("values with positions", { _ = try JSONParser.parseWithPositions($0) }),
        (
            "values with comments",
            { bytes in
                // What this reader allows beyond RFC 8259 is in none of the documents that must be refused here.
                guard !bytes.contains(UInt8(ascii: "/")), !bytes.contains(UInt8(ascii: ",")) else {
                    _ = try JSONParser.parse(bytes)
                    return
                }
                var options = JSONParser.Options()
                (options.allowsComments, options.allowsTrailingCommas) = (true, true)
                _ = try bytes.withUnsafeBytes { try JSONParser.parse($0, options: options) }
            }
        ),
        (
            "models",
            { bytes in
                // The frames of a sanitizer's build do not fit on the stack of a task.
                try ThreadStack.run(16 << 20) { _ = try JSONValueDecoder().decode(Anything.self, from: bytes) }.get()
            }
        ),
        ("values by the decoder", { _ = try JSONValueDecoder().decode(JSONValue.self, from: $0) }),
        ("documents", { _ = try JSONDocument($0) }),
        ("streams", { bytes in try stream([bytes]) }),
        ("streams, byte by byte", { bytes in try stream(bytes.map { [$0] }) }),
    ]

    private static func stream(_ pieces: [[UInt8]]) throws {
        let validation = try schema.get().validation()
        for piece in pieces { _ = try piece.withUnsafeBytes { try validation.update($0) } }
        _ = try validation.finish()
    }

    @Test func `what is JSON is read, what is not is refused, and the rest is decided alike`() throws {
        let folder = "text/json/test_parsing"
        let names = try Conformance.files(folder).filter { $0.hasSuffix(".json") }
        #expect(names.count > 300)
        for name in names {
            let bytes = try Conformance.bytes("\(folder)/\(name)")
            let accepting = Self.readers.filter { reader in (try? reader.read(bytes)) != nil }.map(\.name)
            let all = Self.readers.map(\.name)
            switch name.first {
            case "y": #expect(accepting == all, "\(name)")
            case "n": #expect(accepting == [], "\(name)")
            default: #expect(accepting == [] || accepting == all, "\(name)")
            }
        }
    }
}
