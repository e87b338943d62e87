import PlugboardEndpoints
import PlugboardPropertyList

/// Sends parameters as a query, a form, JSON and a property list, and bytes without encoding.
func sendSerialized(_ client: Client) async throws {
    for codec in [FormCodec(), JSONCodec(), PropertyListCodec()] as [any Codec] {
        var theme = SimpleEndpoint(.post, "echo", ["name": "grün & blau"], as: String.self)
        theme.requestCodec = codec
        print("sent as \(codec.name): \(try await client.send(theme).split(separator: "\n").last ?? "")")
    }
    var mixed = SimpleEndpoint(.post, "echo", ["draft": true, "tags": ["new", "old"]], as: String.self)
    mixed.queryParameters = ["draft"]
    print("sent with a query: \(try await client.send(mixed))")
    var list = SimpleEndpoint(.post, "echo", as: String.self)
    list.body = .value(["new", "old"])
    print("sent as a list: \(try await client.send(list))")
    var raw = SimpleEndpoint(.put, "echo", ["part": 2], as: String.self)
    raw.body = .bytes(Bytes([UInt8]("hi".utf8)))
    print("sent as bytes: \(try await client.send(raw))")
}
