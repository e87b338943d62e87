import PlugboardEndpoints
import PlugboardProtobuf
import SwiftProtobuf

struct Named: Decodable, Sendable { let name: String }

/// The content type of the response selects the codec; a request can name a codec, or accept only some types.
func readSerialized(_ client: Client) async throws {
    for format in ["json", "plist", "xml"] {
        let named = try await client.send(SimpleEndpoint("{format}", ["format": format], as: Named.self))
        tell("\(format): \(named.name)")
    }
    tell("text: \(try await client.send(SimpleEndpoint("text", as: String.self)))")
    tell("raw: \(try await client.send(SimpleEndpoint("text", as: Bytes.self)).count) bytes")
    var mislabelled = SimpleEndpoint("mislabelled", as: Named.self)
    mislabelled.responseCodec = .json
    tell("by a codec: \(try await client.send(mislabelled).name)")
    mislabelled.acceptableTypes = ["application/json"]
    do throws(PlugboardError) { _ = try await client.send(mislabelled) } catch { tell("refused: \(error.code)") }
    tell("transformed: \(try await client.send(Wrapped()).name)")
}

/// A response that is transformed before it is decoded: the model is in a member of the JSON.
struct Wrapped: Endpoint {
    typealias Response = Named
    let path = "wrapped"

    func transform(_ response: inout ReceivedResponse) throws(PlugboardError) {
        response.replaceBody(json: try response.json["data"] ?? .null)
    }
}

/// Makes a model of the program from the decoded value; the response's type is the name of the model.
func readModel(_ client: Client) async throws {
    var card = Definition("Card", path: "json")
    card.response = .object
    card.responseType = "Card"
    client.update { settings in
        settings.definitions.add(card)
        settings.models.register("Card", from: Named.self) { "a card \($0.name)" }
    }
    tell("model: \(try await client.send("Card").model(String.self) ?? "none")")
}

/// A message of Protocol Buffers, in both directions.
struct SaveProfile: Endpoint {
    typealias Response = Google_Protobuf_Struct
    let profile: Google_Protobuf_Struct

    var method: Method { .put }
    var path: String { "profile" }
    var body: EndpointBody { .value(profile, with: .protobuf) }
    func decode(_ response: ReceivedResponse, in client: Client) throws(PlugboardError) -> Response {
        try client.decode(Response.self, from: response, with: .protobuf)
    }
}

func saveProfile(_ client: Client) async throws {
    let saved = try await client.send(SaveProfile(profile: ["nick": "ada"]))
    tell("profile: \(saved.fields["nick"]?.stringValue ?? "none")")
}
