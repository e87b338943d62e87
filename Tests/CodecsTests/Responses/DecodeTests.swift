import Plugboard
import PlugboardJSON
import Testing

struct DecodeTests {
    private struct Topic: Codable, Equatable {
        var title: String
        var replies: Int
    }

    private func response(_ body: String, _ type: String?) -> Response {
        response(Bytes(body), type)
    }

    private func response(_ body: Bytes, _ type: String?) -> Response {
        var fields = Fields()
        fields[.contentType] = type
        return Response(head: ResponseHead(status: 200, fields: fields), body: .bytes(body))
    }

    @Test(arguments: [
        "application/json", "application/vnd.acme.topic+json; charset=utf-8", nil, "text/plain", "text/html",
        "application/octet-stream", "nonsense",
    ])
    func `a model is made of JSON, whatever the server calls it`(type: String?) async throws {
        let topic: Topic = try await response(#"{"title":"a","replies":2,"new":[]}"#, type).decode()

        #expect(topic == Topic(title: "a", replies: 2))
    }

    @Test func `the content type chooses the codec`() async throws {
        let form = "application/x-www-form-urlencoded"

        #expect(
            try await response("title=a+b&replies=2", form).decode(Parameters.self, among: .standard)
                == ["title": "a b", "replies": "2"])
        #expect(try await response("tag=a&tag=b&x=1", form).decode([String: JSONValue].self)["tag"] == ["a", "b"])
        #expect(try await response(#""quoted""#, "application/json").decode(String.self) == "quoted")
        #expect(try await response(#""quoted""#, "text/plain").decode(String.self) == #""quoted""#)
        #expect(try await response("<p>", "image/svg+xml").decode(String.self) == "<p>")
        #expect(try await response("[1]", "application/json").decode(Bytes.self, among: .standard) == Bytes("[1]"))
        #expect(try await response("ab", nil).decode([UInt8].self) == [97, 98])
        #expect(try await response("[1, 2]", "application/json").decode([Int].self) == [1, 2])
        #expect(try await response("[1, {}]", "text/plain").json() == [1, [:]])
    }

    @Test func `a codec that is named is used, whatever the content type`() async throws {
        #expect(try await response("[1]", "application/json").decode(String.self, with: .text) == "[1]")
        #expect(try await response("[1]", "application/json").decode(Bytes.self, with: .raw).text == "[1]")
        #expect(try await response("a=1", "text/plain").decode([String: String].self, with: .form) == ["a": "1"])
    }

    @Test func `a body that does not fit is an error that says why and where`() async throws {
        let wrong = response(#"{"title":"a","replies":"many"}"#, "application/json")
        let page = response("<html>secret", "text/html; charset=utf-8")

        let unfit = await #expect(throws: PlugboardError.self) { _ = try await wrong.decode(Topic.self) }
        let html = await #expect(throws: PlugboardError.self) { _ = try await page.decode(Topic.self) }
        let no = await #expect(throws: PlugboardError.self) {
            _ = try await response("[]", nil).decode(Topic.self, with: .text)
        }

        #expect(unfit?.code == .bodyDecode && unfit?.reason.contains("replies") == true)
        #expect(html?.code == .bodyDecode && html?.reason.contains("content type text/html") == true)
        #expect(html?.description.contains("secret") == false)
        #expect(no?.code == .bodyDecode && no?.reason.contains("String") == true)
    }

    @Test(arguments: [
        String(repeating: "[", count: 100_000), "[1e9999999999999999999]", "{\"title\":\"\u{0}\"}", "",
        "{\"title\":\"a\",\"replies\":99999999999999999999999}", "\u{FEFF}",
    ])
    func `hostile JSON is an error`(text: String) async throws {
        let error = await #expect(throws: PlugboardError.self) {
            _ = try await response(text, "application/json").decode(Topic.self)
        }
        #expect(error?.code == .bodyDecode)
    }

    @Test(arguments: [[0x22, 0xFF, 0x22], [0xC0, 0x80], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x5B, 0xE3]] as [[UInt8]])
    func `JSON that is not UTF-8 is an error`(bytes: [UInt8]) async throws {
        let error = await #expect(throws: PlugboardError.self) {
            _ = try await response(Bytes(bytes), "application/json").json()
        }
        #expect(error?.code == .bodyDecode)
    }

    @Test func `a body above the limit is an error, also if its length is unknown`() async throws {
        let error = await #expect(throws: PlugboardError.self) {
            _ = try await response("[1, 2, 3]", nil).decode([Int].self, upTo: .bytes(8))
        }
        #expect(error?.code == .bodyLimit)
        #expect(try await response("[1, 2, 3]", nil).decode([Int].self, upTo: .bytes(9)) == [1, 2, 3])
    }

    @Test func `codecs write what they read, and refuse what they cannot`() throws {
        let codecs: [any Codec] = [.json, .form, .text, .raw]
        #expect(codecs.map(\.name) == ["json", "form", "text", "raw"])
        #expect(CodecSet.standard["form"]?.writtenType == "application/x-www-form-urlencoded")
        #expect(TextCodec().writtenType == "text/plain; charset=utf-8")

        #expect(try JSONCodec().encode(Topic(title: "a", replies: 1)).text == #"{"title":"a","replies":1}"#)
        #expect(try FormCodec().encode(Topic(title: "a b", replies: 1)).text == "title=a+b&replies=1")
        #expect(try TextCodec().encode("é").text == "é")
        #expect(try RawCodec().encode([1, 2] as [UInt8]).array == [1, 2])
        struct Odd {}
        for codec in codecs {
            let error = #expect(throws: PlugboardError.self) { _ = try codec.encode(Odd()) }
            #expect(error?.code == .requestParameter)
            let unread = #expect(throws: PlugboardError.self) {
                _ = try codec.decode(Odd.self, from: Bytes("{}"), contentType: nil)
            }
            #expect(unread?.code == .bodyDecode)
        }
    }
}
