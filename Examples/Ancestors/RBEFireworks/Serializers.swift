import PlugboardEndpoints
import PlugboardPropertyList

struct Theme: Codable, Sendable { let name: String }

/// The content type of the response chooses what reads it; an endpoint can choose instead, or accept only some types.
func readSerialized(_ client: Client) async throws {
    for form in ["json", "plist", "xml"] {
        let theme = try await client.send(SimpleEndpoint("themes/{form}", ["form": form], as: Theme.self))
        print("theme of \(form): \(theme.name)")
    }
    var text = SimpleEndpoint("themes/text", as: String.self)
    print("text: \(try await client.send(text))")
    print("bytes: \(try await client.send(SimpleEndpoint("themes/text", as: Bytes.self)).count)")
    text.acceptableTypes = ["application/json"]
    do throws(PlugboardError) { _ = try await client.send(text) } catch { print("text: \(error.code)") }
    print("in an envelope: \(try await client.send(WrappedTheme()).name)")
}

/// A theme whose response is transformed before it is decoded: the model is in a member of the JSON.
struct WrappedTheme: Endpoint {
    typealias Response = Theme
    let path = "themes/wrapped"

    func transform(_ response: inout ReceivedResponse) throws(PlugboardError) {
        response.replaceBody(json: try response.json["data"] ?? .null)
    }
}

/// Parameters as a query, a form, JSON and a property list, and bytes as they are.
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
