import PlugboardEndpoints
import PlugboardProtobuf
import SwiftProtobuf

/// The content type of the response selects the codec.
func readSerialized(_ client: Client) async throws {
    for form in ["json", "plist", "xml"] {
        print("\(form): \(try await client.send(SimpleEndpoint("users/{form}", ["form": form], as: User.self)).name)")
    }
    print("wrapped: \(try await client.send(Wrapped()).name)")
    print("text: \(try await client.send(SimpleEndpoint("users/text", as: String.self)))")
    print("bytes: \(try await client.send(SimpleEndpoint("users/text", as: Bytes.self)).count)")
    // The request names the codec of its response, or the types that it accepts.
    var mislabelled = SimpleEndpoint("mislabelled", as: Named.self)
    mislabelled.responseCodec = .json
    print("by a codec: \(try await client.send(mislabelled).name)")
    mislabelled.acceptableTypes = ["application/json"]
    do throws(PlugboardError) { _ = try await client.send(mislabelled) } catch { print("refused: \(error.code)") }
}

struct Named: Decodable, Sendable { let name: String }

/// A response that is transformed before it is decoded: the model is in a member of the JSON.
struct Wrapped: Endpoint {
    typealias Response = User
    let path = "users/wrapped"

    func transform(_ response: inout ReceivedResponse) throws(PlugboardError) {
        response.replaceBody(json: try response.json["data"] ?? .null)
    }
}

/// A message of Protocol Buffers, in both directions.
func saveBadge(_ client: Client) async throws {
    var save = SimpleEndpoint(.put, "mirror", as: Google_Protobuf_StringValue.self, with: .protobuf)
    save.body = .value(Google_Protobuf_StringValue("gold"), with: .protobuf)
    print("message: \(try await client.send(save).value)")
}

/// Makes a model of the program from the user; the response's type is the name of the model.
func readModel(_ client: Client) async throws {
    var card = Definition("Card", path: "user")
    card.response = .object
    card.responseType = "Card"
    client.update { settings in
        settings.definitions.add(card)
        settings.models.register("Card", from: User.self) { "\($0.id). \($0.name)" }
    }
    print("card: \(try await client.send("Card", ["id": 1]).model(String.self) ?? "none")")
}
