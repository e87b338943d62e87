import PlugboardTransport
import Testing

@testable import PlugboardCurl

/// What is done with each version of libcurl, whichever is loaded.
@Suite struct ConnectionChoiceTests {
    private static let old = CurlAbilities(number: 0x075801, version: "7.88.1")
    private static let new = CurlAbilities(number: 0x080E01, version: "8.14.1")

    private func choice(
        _ url: String, bodyLength: Int??, _ abilities: CurlAbilities, _ version: RequestOptions.HTTPVersion? = nil
    ) throws -> ConnectionChoice {
        var options = RequestOptions()
        options.httpVersion = version
        let body = bodyLength.map { PiecesSource([], length: $0) }
        let attempt = AttemptRequest(method: .post, url: url, fields: Fields(), body: body, options: options)
        return ConnectionChoice(
            attempt, try URLHandle(url), try RequestBody(attempt), abilities, avoidsHTTP2: false)
    }

    @Test(arguments: [(nil, false), (0, true), (65_535, true), (65_536, false)] as [(Int?, Bool)])
    func `with 7.88.1 a body that may exceed a window goes by HTTP/1.1`(length: Int?, mayBeHTTP2: Bool) throws {
        let choice = try choice("https://a.test/", bodyLength: .some(length), ConnectionChoiceTests.old)

        #expect(choice.mayBeHTTP2 == mayBeHTTP2)
        #expect(!choice.isAlone)
    }

    @Test(arguments: [nil, 65_536] as [Int?], [RequestOptions.HTTPVersion.http2, .http2PriorKnowledge])
    func `with 7.88.1 such a body has a connection of its own where HTTP/2 is demanded`(
        length: Int?, version: RequestOptions.HTTPVersion
    ) throws {
        let choice = try choice("https://a.test/", bodyLength: .some(length), ConnectionChoiceTests.old, version)

        #expect(choice.mayBeHTTP2 && choice.isAlone && choice.isFresh && !choice.mayMultiplex)
    }

    @Test(arguments: [nil, 65_536] as [Int?])
    func `with 8.14.1 such a body shares HTTP/2 connections`(length: Int?) throws {
        let choice = try choice("https://a.test/", bodyLength: .some(length), ConnectionChoiceTests.new)

        #expect(choice.mayBeHTTP2 && choice.mayMultiplex && !choice.isAlone)
    }

    @Test func `a request without a body may share HTTP/2 connections with both versions`() throws {
        for abilities in [ConnectionChoiceTests.old, ConnectionChoiceTests.new] {
            #expect(try choice("https://a.test/", bodyLength: .none, abilities).mayMultiplex)
        }
    }

    @Test func `8.14.0 and later are used without restrictions, and versions before it with them`() {
        for number in [0x080E00, 0x080E01, 0x090000] as [UInt32] {
            #expect(CurlAbilities(number: number, version: "").restrictions.isEmpty)
        }
        for number in [0, 0x075801, 0x080D00] as [UInt32] {
            let abilities = CurlAbilities(number: number, version: "")
            #expect(abilities.restrictions.count == 6)
            #expect(!abilities.reusesHandlesAfterUploads && !abilities.freesHeldBytes)
        }
    }

    @Test func `a TLS library that cannot be made strict is a restriction of each version`() throws {
        for number in [0x075801, 0x080E01] as [UInt32] {
            let strict = CurlAbilities(number: number, version: "", hasStrictTLS: true).restrictions
            let other = CurlAbilities(number: number, version: "", hasStrictTLS: false).restrictions

            #expect(other.dropLast() == strict[...])
            let sentence = try #require(other.last)
            #expect(sentence.contains("common name") && sentence.contains("close_notify"), "\(sentence)")
        }
    }

    @Test(arguments: [true, false])
    func `a handle that has sent a body is used again only if libcurl can do that`(hasBody: Bool) async throws {
        let client = Client()

        let isReusable = try await client.onLoop {
            Result {
                let multi = MultiHandle(
                    loop: client.loop, settings: CurlTransportSettings(), usesProxyEnvironment: false)
                let handle = try #require(multi.handle())
                let attempt = AttemptRequest(
                    method: .put, url: "http://a.test/", fields: Fields(),
                    body: hasBody ? PiecesSource([], length: nil) : nil, options: RequestOptions())
                try handle.prepare(attempt, url: try URLHandle(attempt.url), body: try RequestBody(attempt))
                return handle.isReusable
            }
        }.get()

        #expect(isReusable == (!hasBody || CurlAbilities.current.reusesHandlesAfterUploads))
    }

    @Test func `the table of connectTo is made once for requests with the same option`() async throws {
        let client = Client()
        let option = ["a.test:80": "127.0.0.1:1", "b.test:80": "127.0.0.1:2"]

        let isSame = try await client.onLoop {
            Result {
                let multi = MultiHandle(
                    loop: client.loop, settings: CurlTransportSettings(), usesProxyEnvironment: false)
                defer { multi.retire {} }
                return try multi.connectToTable(option) === multi.connectToTable(option)
            }
        }.get()

        #expect(isSame)
    }
}
