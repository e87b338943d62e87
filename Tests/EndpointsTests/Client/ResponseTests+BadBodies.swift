import PlugboardEndpoints
import PlugboardMessages
import PlugboardTesting
import TestSupport
import Testing

/// Bodies of which no value can be made.
extension ResponseTests {
    private static let badBodies: [String: String] = [
        "empty": "", "cut": "{", "an object": "{}", "no members": "[{}]", "a text": #"[{"id": "7", "title": ""}]"#,
        "beyond doubles": #"[{"id": 1e400, "title": ""}]"#,
        "beyond integers": #"[{"id": 99999999999999999999, "title": ""}]"#,
        "a fraction": #"[{"id": 1.5, "title": ""}]"#, "HTML": "<html></html>",
        "deep and open": String(repeating: "[", count: 100_000),
        "deep objects": String(repeating: #"{"a":"#, count: 100_000),
        "deep": String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000),
    ]

    @Test(arguments: badBodies.keys.sorted())
    func `a body that does not fit the type is an error`(what: String) async throws {
        let body = try #require(ResponseTests.badBodies[what])
        let client = try ResponseTests.client(body: body)

        let error = await error { try await client.send(Get<[Topic]>()) }

        #expect(error?.code == .bodyDecode)
    }

    @Test(arguments: [[0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22]] as [[UInt8]])
    func `JSON with invalid UTF-8 is an error`(body: [UInt8]) async throws {
        let client = try ResponseTests.client(bytes: body)

        #expect(await error { try await client.send(GetJSON()) }?.code == .bodyDecode)
        #expect(await error { try await client.send(Get<[String]>()) }?.code == .bodyDecode)
    }

    @Test func `an error of decoding names the content type if it is another`() async throws {
        let client = try ResponseTests.client(200, "text/html", body: "<html>")

        let error = await error { try await client.send(Get<[Topic]>()) }

        #expect(error?.reason.hasSuffix("The response has the content type text/html, and was read as json.") == true)
    }

    @Test func `a type that the codec does not make is an error`() async throws {
        struct Odd: Sendable {}
        struct GetOdd: Endpoint {
            var path: String { "a" }
            func decode(_ response: ReceivedResponse, in client: Client) throws(PlugboardError) -> Odd {
                try client.decode(Odd.self, from: response, with: .json)
            }
        }
        let client = try ResponseTests.client(body: "x")

        #expect(await error { try await client.send(GetOdd()) }?.code == .bodyDecode)
    }
}
