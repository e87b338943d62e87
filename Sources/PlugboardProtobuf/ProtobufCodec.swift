#if AllPackages || Protobuf
    public import PlugboardCodecs
    public import PlugboardMessages
    import SwiftProtobuf

    /// Protocol Buffers: any message of SwiftProtobuf, in the binary or the JSON format.
    ///
    ///     let topic = try await response.decode(Example_Topic.self, with: .protobuf)
    ///
    /// Messages that are nested more than 100 levels deep are errors.
    public struct ProtobufCodec: Sendable {
        /// The format for writing and reading.
        public enum Format: Sendable {
            /// The wire format: `application/x-protobuf`.
            case binary
            /// The JSON mapping: `application/json`. Unknown members are ignored.
            case json
        }

        /// The format for writing and reading.
        public let format: Format

        /// Creates a codec.
        public init(format: Format = .binary) { self.format = format }
    }

    extension ProtobufCodec: Codec {
        public var name: String { format == .binary ? "protobuf" : "protobuf-json" }

        public var contentTypes: [String] {
            switch format {
            case .binary:
                ["application/x-protobuf", "application/protobuf", "application/octet-stream", "*/*+protobuf"]
            case .json: ["application/json", "*/*+json"]
            }
        }

        public func canDecode<Value>(_ type: Value.Type) -> Bool { type is any Message.Type }

        public func encode<Value>(_ value: Value) throws(PlugboardError) -> Bytes {
            guard let message = value as? any Message else {
                throw PlugboardError(
                    .requestParameter,
                    "The codec \(name) takes messages of SwiftProtobuf, and \(Value.self) is not one.")
            }
            do {
                return Bytes(
                    format == .binary ? try message.serializedBytes() : try message.jsonUTF8Bytes() as [UInt8])
            } catch {
                throw PlugboardError(.requestParameter, "The message \(Value.self) cannot be encoded: \(error).")
            }
        }

        public func decode<Value>(
            _ type: Value.Type, from body: Bytes, contentType: String?
        ) throws(PlugboardError) -> Value {
            guard let message = type as? any Message.Type else {
                throw PlugboardError(.bodyDecode, "The codec \(name) makes messages of SwiftProtobuf, and not \(type).")
            }
            do {
                if let decoded = try self.message(message, body.array) as? Value { return decoded }
            } catch {
                throw PlugboardError(.bodyDecode, "The body is not a message \(type): \(error).")
            }
            throw PlugboardError(.bodyDecode, "The message of the body is of another type than \(type).")
        }

        private func message<Decoded: Message>(_ type: Decoded.Type, _ bytes: [UInt8]) throws -> Decoded {
            if format == .binary { return try Decoded(serializedBytes: bytes) }
            var options = JSONDecodingOptions()
            options.ignoreUnknownFields = true
            return try Decoded(jsonUTF8Bytes: bytes, options: options)
        }
    }

    extension Codec where Self == ProtobufCodec {
        /// Protocol Buffers: messages of SwiftProtobuf, in the binary format.
        public static var protobuf: ProtobufCodec { ProtobufCodec() }
    }
#else
    #error("PlugboardProtobuf needs the trait Protobuf of the package plugboard: .package(…, traits: [\"Protobuf\"]).")
#endif
