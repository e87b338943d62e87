import Plugboard
import PlugboardEndpoints

/// Parameters as a form or as JSON, bytes as they are, and some parameters in the query while the rest is the body.
func sendBodies(_ client: Client) async throws {
    for codec in [FormCodec(), JSONCodec()] as [any Codec] {
        var save = SimpleEndpoint(.post, "save", ["name": "Zoë", "draft": true], as: String.self)
        save.requestCodec = codec
        save.queryParameters = ["draft"]
        print("saved: \(try await client.send(save))")
    }
    var raw = SimpleEndpoint(.patch, "save", as: String.self)
    raw.body = .bytes(Bytes([UInt8]("raw".utf8)))
    print("saved: \(try await client.send(raw))")
}

/// The first attempt is refused with 503, the second succeeds.
struct Busy: Endpoint {
    typealias Response = String
    let attempts = 3
    var path: String { "busy" }
    func prepare(_ request: inout Request) { request.retry.delay = .milliseconds(1) }
}

/// A request that ignores what is general.
struct Ping: Endpoint {
    typealias Response = String
    let server: String
    var path: String { "" }
    func customRequest() throws(PlugboardError) -> Request? { Request(.options, "\(server)/ping") }
}

/// The shape of the JSON, nested, and with a list.
struct Board: Endpoint {
    typealias Response = JSONValue
    let number: Int
    var path: String { "boards/\(number)" }
    var validation: ResponseValidation { .shape(["id": .number, "posts": [["title": .string]]]) }
}

func sendSpecial(_ client: Client, _ server: String) async throws {
    print("busy: \(try await client.send(Busy()))")
    print("ping: \(try await client.send(Ping(server: server)))")
    for number in 1...2 {
        do throws(PlugboardError) {
            _ = try await client.send(Board(number: number))
            print("board \(number) is right")
        } catch {
            print("board \(number): \(error.code)")
        }
    }
}
