import PlugboardEndpoints
import PlugboardPropertyList
import PlugboardProtobuf
import SwiftProtobuf

/// Sends any method, below the base, to another server, or to a full URL.
func sendAny(_ client: Client, _ server: String) async throws {
    for method: Method in [.head, .patch, .delete, "REPORT"] {
        let any = SimpleEndpoint(method, "flights/{id}/said", ["id": 7], as: ReceivedResponse.self)
        print("any method: \(try await client.send(any)["X-Said"] ?? "none")")
    }
    print("weather: \(try await client.send(Weather(base: "\(server)/weather")))")
    print("full URL: \(try await client.send(SimpleEndpoint("\(server)/full/said", as: String.self)))")
}

/// Sends parameters in the query, as a form, as JSON and as a property list, some of them always in the query; a list;
/// bytes without encoding; and a message of Protocol Buffers.
func sendBodies(_ client: Client) async throws {
    let name: Parameters = ["name": "grün & blau"]
    print("query: \(try await client.send(SimpleEndpoint("said", name, as: String.self)))")
    for codec in [FormCodec(), JSONCodec(), PropertyListCodec()] as [any Codec] {
        var save = SimpleEndpoint(.post, "said", name, as: String.self)
        save.requestCodec = codec
        save.queryParameters = ["lang"]
        print("\(codec.name): \(try await client.send(save).split(separator: "\n").last ?? "")")
    }
    var save = SimpleEndpoint(.put, "said", as: String.self)
    save.body = .value(["new", "old"], with: .json)
    print("list: \(try await client.send(save))")
    save.body = .bytes(Bytes([UInt8]("raw".utf8)))
    print("bytes: \(try await client.send(save))")
    save.body = .value(Google_Protobuf_StringValue("gold"), with: .protobuf)
    print("protobuf: \(try await client.send(save).utf8.count) bytes")
}
