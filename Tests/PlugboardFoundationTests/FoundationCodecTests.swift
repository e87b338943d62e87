import Foundation
import Plugboard
import PlugboardEndpoints
import PlugboardFoundation
import PlugboardTesting
import Testing

/// Models with types of Foundation.
@Suite struct FoundationCodecTests {
    struct Item: Codable, Equatable {
        var link = URL(string: "https://a.test/x?y=1")
        var price = Decimal(string: "1234567890.123456789")
        var content = Data([0, 255])
        var made = Date(timeIntervalSince1970: 1_764_072_000)
        var id = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
    }

    @Test func `they are written as other programs write them, and read again`() throws {
        let codec = JSONCodec.foundation()

        let bytes = try codec.encode(Item())
        let again = try codec.decode(Item.self, from: bytes, contentType: nil)

        #expect(
            bytes.text
                == #"{"link":"https://a.test/x?y=1","price":1234567890.123456789,"content":"AP8=","made":"2025-11-25T12:00:00Z","id":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F"}"#
        )
        #expect(again == Item())
    }

    @Test(arguments: [
        (JSONDates.iso8601, #""2025-11-25T12:00:00.500Z""#), (.secondsSince1970, "1764072000.5"),
        (.millisecondsSince1970, "1764072000500"),
    ])
    func `dates have the form that is asked for`(dates: JSONDates, text: String) throws {
        let codec = JSONCodec.foundation(dates: dates)
        let date = Date(timeIntervalSince1970: 1_764_072_000.5)

        #expect(try codec.encode([date]).text == "[\(text)]")
        #expect(try codec.decode([Date].self, from: Bytes("[\(text)]"), contentType: nil) == [date])
    }

    @Test(arguments: [
        ("2025-11-25T14:00:00+02:00", 1_764_072_000), ("2025-11-25T06:30:00-05:30", 1_764_072_000),
        ("2025-11-25T12:00:00-00:00", 1_764_072_000), ("2025-11-25T14:00:00.25+02:00", 1_764_072_000.25),
        ("2025-11-25T12:00:00.5Z", 1_764_072_000.5), ("2025-11-25T12:00:00.123456Z", 1_764_072_000.123456),
        ("2025-11-25T14:00:00.123456+02:00", 1_764_072_000.123456),
        ("2025-11-25T12:00:00.123456789Z", 1_764_072_000.123456789),
        ("2025-11-25t12:00:00z", 1_764_072_000), ("1969-12-31T23:59:59.75Z", -0.25),
    ])
    func `dates with an offset and with any fraction of a second are read exactly`(
        text: String, seconds: Double
    ) throws {
        let dates = try JSONCodec.foundation().decode([Date].self, from: Bytes("[\"\(text)\"]"), contentType: nil)

        let distance = try #require(dates.first).timeIntervalSince1970 - seconds
        #expect(abs(distance) < 1e-6, "\(dates)")
    }

    @Test(arguments: [
        (1_764_072_000.123456, "2025-11-25T12:00:00.123456Z"), (1_764_072_000.5, "2025-11-25T12:00:00.500Z"),
        (1_764_072_000.000001, "2025-11-25T12:00:00.000001Z"), (1_764_071_999.9999, "2025-11-25T11:59:59.999900Z"),
        (-0.25, "1969-12-31T23:59:59.750Z"),
    ])
    func `microseconds are written, and read again as the same date`(seconds: Double, text: String) throws {
        let codec = JSONCodec.foundation()
        let date = Date(timeIntervalSince1970: seconds)

        let written = try codec.encode([date])
        let again = try codec.decode([Date].self, from: written, contentType: nil)

        #expect(written.text == "[\"\(text)\"]")
        #expect(again.map { ($0.timeIntervalSince1970 * 1e6).rounded() } == [(seconds * 1e6).rounded()])
    }

    @Test(arguments: [
        "2025-11-25", "2025-11-25T12:00:00", "2025-02-30T12:00:00Z", "2025-11-25T25:00:00Z", "2025-11-25T12:00:00.Z",
        "2025-11-25T12:00:00Zx", "2025-11-25T12:00:00+2", " 2025-11-25T12:00:00Z",
    ])
    func `what is no date of RFC 3339 is an error`(text: String) {
        let error = #expect(throws: PlugboardError.self) {
            _ = try JSONCodec.foundation().decode([Date].self, from: Bytes("[\"\(text)\"]"), contentType: nil)
        }
        #expect(error?.code == .bodyDecode)
    }

    @Test func `the other codec refuses them, and says what to do`() throws {
        let wrote = #expect(throws: PlugboardError.self) { _ = try JSONCodec().encode(Item()) }
        let read = #expect(throws: PlugboardError.self) {
            _ = try JSONCodec().decode([Date].self, from: Bytes("[1]"), contentType: nil)
        }
        let parameters = #expect(throws: PlugboardError.self) { _ = try Parameters(encoding: Item()) }

        #expect(wrote?.reason.contains("URL is a type of Foundation") == true, "\(wrote as Any)")
        #expect(wrote?.reason.contains(".foundation(dates:)") == true)
        #expect(read?.reason.contains("Date is a type of Foundation") == true, "\(read as Any)")
        #expect(parameters?.reason.contains("PlugboardFoundation") == true, "\(parameters as Any)")
    }

    @Test(arguments: [#"["no date"]"#, #"[{"relative":"x"}]"#, "[1]"])
    func `what has another form is an error with its path`(text: String) {
        let error = #expect(throws: PlugboardError.self) {
            _ = try JSONCodec.foundation().decode([Date].self, from: Bytes(text), contentType: nil)
        }
        #expect(error?.code == .bodyDecode && error?.reason.contains("[0]") == true, "\(error as Any)")
    }

    struct Since: Endpoint, Encodable {
        typealias Response = String
        var path: String { "items/{id}" }
        let id = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
        let since = Date(timeIntervalSince1970: 1_764_072_000)
        let link = URL(string: "https://b.test/")
    }

    @Test func `a client's codec writes the parameters of endpoints, too`() async throws {
        var settings = ClientSettings(base: "https://a.test")
        settings.requestCodec = .foundation()
        let client = Client(kernel: try Kernel(transport: ScriptedTransport()), settings: settings)

        let request = try await client.request(for: Since())

        #expect(
            request.url
                == "https://a.test/items/E621E1F8-C36C-495A-93FC-0C247A3E6E5F?since=2025-11-25T12%3A00%3A00Z&link=https%3A%2F%2Fb.test%2F"
        )
    }

    struct Made: Endpoint, Encodable {
        typealias Response = String
        var path: String { "items" }
        let madeAt = Date(timeIntervalSince1970: 1_764_072_000)
    }

    struct Posted: Endpoint, Encodable {
        typealias Response = String
        var method: Method { .post }
        var path: String { "items" }
        var requestCodec: (any Codec)? { FormCodec() }
        let since = Date(timeIntervalSince1970: 1_764_072_000)
        let link = URL(string: "https://b.test/")
    }

    @Test func `a form's values are written by the client's codec for JSON, wherever it stands`() async throws {
        var byRequests = ClientSettings(base: "https://a.test")
        byRequests.requestCodec = .foundation()
        var bySet = ClientSettings(base: "https://a.test")
        bySet.requestCodec = FormCodec()
        bySet.codecs.replace(with: .foundation(keys: .snakeCase))

        for settings in [byRequests, bySet] {
            let client = Client(kernel: try Kernel(transport: ScriptedTransport()), settings: settings)
            let request = try await client.request(for: Posted())
            let query = try await client.request(for: Made())

            #expect(
                try await request.body?.collect(upTo: .kibibytes(1)).text
                    == "since=2025-11-25T12%3A00%3A00Z&link=https%3A%2F%2Fb.test%2F")
            #expect(query.url == "https://a.test/items?madeAt=2025-11-25T12%3A00%3A00Z")
        }
    }

    @Test func `a date that is no number is refused`() throws {
        #expect(throws: PlugboardError.self) {
            _ = try JSONCodec.foundation().encode([Date(timeIntervalSince1970: .nan)])
        }
    }

    @Test func `the spelling of a codec's keys is not that of parameters`() async throws {
        var settings = ClientSettings(base: "https://a.test")
        settings.requestCodec = .foundation(keys: .snakeCase)
        let client = Client(kernel: try Kernel(transport: ScriptedTransport()), settings: settings)

        #expect(
            try await client.request(for: Made()).url == "https://a.test/items?madeAt=2025-11-25T12%3A00%3A00Z")
    }

    struct Dated: Codable, Equatable {
        var link = URL(string: "https://b.test/")
        var madeAt = Date(timeIntervalSince1970: 1_764_072_000)
    }

    @Test func `the codecs that a program sets are used wherever none is named`() async {
        // They are the process's, so this needs one of its own.
        await #expect(processExitsWith: .success) {
            CodecSet.standard.replace(with: .foundation(keys: .snakeCase))

            let request = try Request(.post, "https://a.test", json: Dated())
            let sent = try await request.body!.collect(upTo: .kibibytes(1)).text
            let received: Dated = try await Response(head: ResponseHead(status: 200), body: .text(sent)).decode()
            let form = try FormCodec().encode(Dated())
            let fromForm = try FormCodec().decode(Dated.self, from: form, contentType: nil)
            let client = Client(
                kernel: try Kernel(transport: ScriptedTransport()), settings: ClientSettings(base: "https://a.test"))
            let url = try await client.request(for: Made()).url

            precondition(sent == #"{"link":"https://b.test/","made_at":"2025-11-25T12:00:00Z"}"#, sent)
            precondition(received == Dated())
            precondition(form.text == "link=https%3A%2F%2Fb.test%2F&madeAt=2025-11-25T12%3A00%3A00Z", form.text)
            precondition(fromForm == Dated())
            precondition(url == "https://a.test/items?madeAt=2025-11-25T12%3A00%3A00Z", url)
        }
    }
}
