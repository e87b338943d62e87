import PlugboardEndpoints
import PlugboardProtobuf
import SwiftProtobuf

struct Theme: Codable, Sendable { let name: String }

/// The content type of the response selects the codec; an endpoint can name a codec, or accept only some types.
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
    // The server sends its JSON as text: the request names the codec.
    let mislabelled = SimpleEndpoint("themes/mislabelled", as: Theme.self, with: .json)
    print("theme by a codec: \(try await client.send(mislabelled).name)")
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

/// A message of Protocol Buffers, in both directions.
func saveBadge(_ client: Client) async throws {
    var save = SimpleEndpoint(.put, "mirror", as: Google_Protobuf_StringValue.self, with: .protobuf)
    save.body = .value(Google_Protobuf_StringValue("gold"), with: .protobuf)
    print("badge: \(try await client.send(save).value)")
}

/// Makes a model of the program from each article of the list; the response's type is the name of the model.
func readModels(_ client: Client) async throws {
    var headlines = Definition("Headlines", path: "news")
    headlines.response = .list
    headlines.responseType = "Headline"
    client.update { settings in
        settings.definitions.add(headlines)
        settings.models.register("Headline", from: Article.self) { "\($0.id). \($0.title)" }
    }
    let models: [String] = try await client.send("Headlines", ["page": 1]).model() ?? []
    print("headlines: \(models)")
}
