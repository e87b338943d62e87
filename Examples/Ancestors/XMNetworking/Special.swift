import Plugboard
import PlugboardEndpoints

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

/// A request that ignores the general settings.
struct Ping: Endpoint {
    typealias Response = String
    let server: String
    var path: String { "" }
    func customRequest() throws(PlugboardError) -> Request? { Request(.options, "\(server)/ping") }
}

/// Checks the nested shape of the JSON, with a list, or its JSON Schema.
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
