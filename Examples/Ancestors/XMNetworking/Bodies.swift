import Plugboard
import PlugboardEndpoints
import PlugboardPropertyList
import PlugboardProtobuf
import SwiftProtobuf

/// Sends parameters as a form, as JSON or as a property list, some of them in the query while the rest is the body; a
/// list; bytes without encoding; a message of Protocol Buffers; and parameters in the query.
func sendBodies(_ client: Client) async throws {
    for codec in [FormCodec(), JSONCodec()] as [any Codec] {
        var save = SimpleEndpoint(.post, "save", ["name": "Zoë", "draft": true], as: String.self)
        save.requestCodec = codec
        save.queryParameters = ["draft"]
        print("saved: \(try await client.send(save))")
    }
    var list = SimpleEndpoint(.put, "list", ["name": "Zoë"], as: String.self)
    list.requestCodec = PropertyListCodec()
    print("saved as a list: \(try await client.send(list))")
    var tags = SimpleEndpoint(.put, "save", as: String.self)
    tags.usesGeneralParameters = false
    tags.body = .value(["lake", "sea"])
    print("saved: \(try await client.send(tags))")
    var raw = SimpleEndpoint(.patch, "save", as: String.self)
    raw.body = .bytes(Bytes([UInt8]("raw".utf8)))
    print("saved: \(try await client.send(raw))")
    var message = SimpleEndpoint(.put, "said", as: String.self)
    message.body = .value(Google_Protobuf_StringValue("gold"), with: .protobuf)
    print("saved as a message: \(try await client.send(message).utf8.count) bytes")
    print("query: \(try await client.send(SimpleEndpoint("said", ["name": "Zoë"], as: String.self)))")
}
