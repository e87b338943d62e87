import Plugboard
import PlugboardEndpoints
import PlugboardPropertyList

/// Parameters as a form, as JSON or as a property list, bytes as they are, and some parameters in the query while the
/// rest is the body.
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
}

/// The content type of the response chooses what reads it.
func readSerialized(_ client: Client) async throws {
    for form in ["json", "plist", "xml"] {
        print("\(form): \(try await client.send(SimpleEndpoint("users/{form}", ["form": form], as: User.self)).name)")
    }
    print("wrapped: \(try await client.send(Wrapped()).name)")
    print("text: \(try await client.send(SimpleEndpoint("users/text", as: String.self)))")
    print("bytes: \(try await client.send(SimpleEndpoint("users/text", as: Bytes.self)).count)")
}

/// A response that is transformed before it is decoded: the model is in a member of the JSON.
struct Wrapped: Endpoint {
    typealias Response = User
    let path = "users/wrapped"

    func transform(_ response: inout ReceivedResponse) throws(PlugboardError) {
        response.replaceBody(json: try response.json["data"] ?? .null)
    }
}

/// The first attempt is refused with 503, the second succeeds.
struct Busy: Endpoint {
    typealias Response = String
    let attempts = 3
    let method = Method.post
    let path = "busy"
    func prepare(_ request: inout Request) {
        request.retry.delay = .milliseconds(1)
        request.retry.statuses = [503]
        request.retry.methods = ["POST"]
    }
}

/// A request that ignores what is general.
struct Ping: Endpoint {
    typealias Response = String
    let server: String
    var path: String { "" }
    func customRequest() throws(PlugboardError) -> Request? { Request(.options, "\(server)/ping") }
}

/// The shape of the JSON, nested, and with a list; or its JSON Schema.
struct Board: Endpoint {
    typealias Response = JSONValue
    let number: Int
    var validation = ResponseValidation.shape(["id": .number, "posts": [["title": .string]]])
    var path: String { "boards/\(number)" }
}

func sendSpecial(_ client: Client, _ server: String) async throws {
    print("busy: \(try await client.send(Busy()))")
    print("ping: \(try await client.send(Ping(server: server)))")
    let schema = ResponseValidation.schema(["properties": ["posts": ["minItems": 2]]])
    for board in [Board(number: 1), Board(number: 2), Board(number: 1, validation: schema)] {
        do throws(PlugboardError) {
            _ = try await client.send(board)
            print("board \(board.number) is right")
        } catch {
            print("board \(board.number): \(error.code)")
        }
    }
}
