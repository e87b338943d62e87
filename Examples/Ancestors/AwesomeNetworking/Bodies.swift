import PlugboardEndpoints
import PlugboardPropertyList

/// Sends parameters in the query, as a form, as JSON and as a property list, some of them always in the query; a list;
/// and bytes without encoding.
func sendBodies(_ client: Client) async throws {
    let text: Parameters = ["text": "schön & gut", "page": 2]
    tell("query: \(try await client.send(SimpleEndpoint("said", text, as: String.self)))")
    for codec in [FormCodec(), JSONCodec(), PropertyListCodec()] as [any Codec] {
        var save = SimpleEndpoint(.post, "said", text, as: String.self)
        save.requestCodec = codec
        save.queryParameters = ["page"]
        tell("\(codec.name): \(try await client.send(save).split(separator: "\n").last ?? "")")
    }
    var save = SimpleEndpoint(.put, "said", as: String.self)
    save.body = .value(["new", "old"])
    tell("list: \(try await client.send(save))")
    save.body = .bytes(Bytes([UInt8]("raw".utf8)))
    tell("bytes: \(try await client.send(save))")
}
