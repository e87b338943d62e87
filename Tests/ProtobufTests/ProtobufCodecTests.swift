import Plugboard
import PlugboardCodecs
import PlugboardMessages
import PlugboardProtobuf
import SwiftProtobuf
import TestSupport
import Testing

@Suite struct `Protocol Buffers` {
    private typealias Struct = Google_Protobuf_Struct
    private typealias Timestamp = Google_Protobuf_Timestamp

    private let topic = Struct(fields: [
        "title": Google_Protobuf_Value(stringValue: "ü"),
        "counts": Google_Protobuf_Value(listValue: [1, 2.5, false]),
    ])

    @Test(arguments: [ProtobufCodec.Format.binary, .json])
    func `a message is read as it was written, in either form`(_ format: ProtobufCodec.Format) throws {
        let codec = ProtobufCodec(format: format)
        let bytes = try codec.encode(topic)

        #expect(try codec.decode(Struct.self, from: bytes, contentType: codec.contentTypes.first) == topic)
        #expect(bytes.text.utf8.first == (format == .json ? UInt8(ascii: "{") : 0x0A))
    }

    @Test func `the JSON form is the one that Protocol Buffers define, and unknown members are ignored`() throws {
        let codec = ProtobufCodec(format: .json)
        let text = Bytes(#""1970-01-01T00:01:00Z""#)

        #expect(try codec.encode(Timestamp(seconds: 60)).text == #""1970-01-01T00:01:00Z""#)
        #expect(try codec.decode(Timestamp.self, from: text, contentType: nil) == Timestamp(seconds: 60))
        let option = Bytes(#"{"name":"n","unheardOf":[1]}"#)
        #expect(try codec.decode(Google_Protobuf_Option.self, from: option, contentType: nil).name == "n")
    }

    @Test func `bytes that are no message are an error`() throws {
        let truncated = try ProtobufCodec().encode(topic)[0..<5]
        for (codec, bytes) in [
            (ProtobufCodec(), truncated), (ProtobufCodec(), Bytes([0xFF, 0xFF])),
            (ProtobufCodec(format: .json), Bytes("{\"s3cret\":")),
            (ProtobufCodec(format: .json), Bytes("[]")), (ProtobufCodec(format: .json), Bytes([0xFF])),
        ] {
            let error = #expect(throws: PlugboardError.self) {
                try codec.decode(Struct.self, from: bytes, contentType: nil)
            }
            #expect(error?.code == .bodyDecode)
            #expect(error?.reason.hasPrefix("The body is not a message Google_Protobuf_Struct: ") == true)
            #expect(error?.reason.utf8.elementsEqual("s3cret".utf8) == false)
        }
    }

    @Test func `a message nested too deep is an error`() throws {
        let json = String(repeating: "[", count: 100_000)
        /// A list with one value, which is a list: each level is a field with a length.
        var binary: [UInt8] = []
        while binary.count < 2000 {
            let inner = Self.field(6, binary)
            binary = Self.field(1, inner)
        }

        #expect(throws: PlugboardError.self) {
            try ProtobufCodec(format: .json).decode(Google_Protobuf_Value.self, from: Bytes(json), contentType: nil)
        }
        #expect(throws: PlugboardError.self) {
            try ProtobufCodec().decode(Google_Protobuf_ListValue.self, from: Bytes(binary), contentType: nil)
        }
    }

    private static func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        let count = bytes.count
        let length = count < 128 ? [UInt8(count)] : [UInt8(count & 0x7F) | 0x80, UInt8(count >> 7)]
        return [number << 3 | 2] + length + bytes
    }

    @Test func `values that are not messages are refused`() throws {
        let written = #expect(throws: PlugboardError.self) { try ProtobufCodec().encode("text") }
        let read = #expect(throws: PlugboardError.self) {
            try ProtobufCodec().decode(String.self, from: .empty, contentType: nil)
        }

        #expect(written?.code == .requestParameter && read?.code == .bodyDecode)
        #expect(ProtobufCodec().canDecode(Struct.self) && !ProtobufCodec().canDecode(String.self))
    }

    @Test func `messages travel through a kernel`() async throws {
        let server = try LoopbackServer.responding { request in
            ServerResponse(fields: [("Content-Type", request["Content-Type"] ?? "")], body: request.body)
        }
        let kernel = try Kernel()

        let response = try await kernel.send(
            try Request(.post, server.url("/"), body: topic, with: .protobuf))
        let echoed = try await response.decode(Struct.self, among: [.json, .protobuf])

        #expect(echoed == topic)
        await kernel.shutDown()
    }
}
