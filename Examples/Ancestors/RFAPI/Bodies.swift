import PlugboardEndpoints
import PlugboardProtobuf
import SwiftProtobuf

/// One definition has its own codecs: it sends a property list, and receives XML. Another sends JSON, which is the
/// default, and its response must have a shape.
func sendBodies(_ api: Client) async {
    await api.call("Theme", ["name": "dark"])
        .onSuccess { response in
            let theme: Theme? = response.model()
            print("theme: \(theme?.name ?? "none")")
        }
        .onFailure { print("failed: \($0)") }
        .ended()
    for text in ["one", "two"] {
        await api.call("Draft", ["text": text])
            .onSuccess { print("draft: \($0.json?["saved"] ?? .null)") }
            .onFailure { print("draft: \($0.code)") }
            .ended()
    }
}

/// Sends some parameters in the query and the others in the body; a list; and bytes without encoding.
func sendMore(_ api: Client) async throws {
    print("search: \(try await api.send("Search", ["page": 2, "text": "schön"]).response.text)")
    print("list: \(try await api.send("Edit", body: .value(["new", "old"])).response.text)")
    print("bytes: \(try await api.send("Edit", body: .bytes(Bytes([UInt8]("raw".utf8)))).response.text)")
}

/// The content type of the response selects the codec, unless the definition names one; a definition can also accept
/// only some types. A message of Protocol Buffers is sent and received.
func readSerialized(_ api: Client) async throws {
    for format in ["json", "plist", "xml", "wrapped"] {
        print("\(format): \(try await api.send("Document", ["format": format], as: Theme.self).name)")
    }
    print("text: \(try await api.send("Document", ["format": "text"], as: String.self))")
    print("raw: \(try await api.send("Document", ["format": "text"], as: Bytes.self).count) bytes")
    print("by a codec: \(try await api.send("Mislabelled", as: Theme.self).name)")
    await api.call("Picky").onFailure { print("refused: \($0.code)") }.ended()
    let badge = EndpointBody.value(Google_Protobuf_StringValue("gold"))
    print("badge: \(try await api.send("Badge", body: badge, as: Google_Protobuf_StringValue.self).value)")
}
