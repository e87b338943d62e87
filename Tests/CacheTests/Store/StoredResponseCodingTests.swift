import PlugboardKit
import TestSupport
import Testing

@testable import PlugboardCache

@Suite struct StoredResponseCodingTests {
    private func whole() -> StoredResponse {
        var response = StoredResponse.sample("key", url: "https://example.com/é", note: "n")
        response.status = 206
        response.fields.append("Set-Cookie", "secret=1")
        response.fields.append("X-Empty", "")
        response.requested = .nanoseconds(-1)
        response.received = .seconds(1_700_000_000) + .nanoseconds(123)
        response.selecting = [.init(name: "accept", value: ""), .init(name: "x", value: nil)]
        response.version = "2.0"
        response.timeToLive = .milliseconds(10)
        response.isInvalidated = true
        response.range = .init(first: 10, complete: 100)
        return response
    }

    @Test func `a head decodes as it was encoded, without its secret fields`() throws {
        var response = whole()
        response.fields.append("X-Key", "t")
        response.fields.markSecret("X-Key")

        let encoded = response.encoded(length: 77)
        let decoded = try #require(encoded.withUnsafeBytes { StoredResponse.decoded($0) })

        #expect(decoded.length == 77)
        #expect(decoded.response.encoded(length: 77) == encoded)
        response.fields.removeSecrets()
        #expect(Array(decoded.response.fields) == Array(response.fields) && !response.fields.isEmpty)
        #expect(decoded.response.selecting == response.selecting)
        #expect(decoded.response.range == response.range)
        #expect(decoded.response.timeToLive == response.timeToLive)
        #expect(decoded.response.received == response.received && decoded.response.requested == response.requested)
        #expect(decoded.response.status == 206 && decoded.response.isInvalidated && decoded.response.version == "2.0")
        #expect(decoded.response.key == response.key && decoded.response.url == response.url)
    }

    @Test func `a head that is cut anywhere, or longer, is refused`() {
        let encoded = whole().encoded(length: 5)

        for count in 0..<encoded.count {
            #expect(encoded[..<count].withUnsafeBytes { StoredResponse.decoded($0) } == nil)
        }
        #expect((encoded + [0]).withUnsafeBytes { StoredResponse.decoded($0) } == nil)
    }

    @Test(arguments: [(-1, 100), (Int.min, nil), (0, -1), (5, Int.min)])
    func `an impossible range is refused`(first: Int, complete: Int?) {
        var response = whole()
        response.range = .init(first: first, complete: complete)

        let decoded = response.encoded(length: 5).withUnsafeBytes { StoredResponse.decoded($0) }

        #expect(decoded == nil)
    }

    @Test func `random bytes decode to a head or nil, and never trap`() {
        var generator = SeededRandom(seed: 1)
        let encoded = whole().encoded(length: 5)
        for _ in 0..<20_000 {
            var bytes = encoded
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                bytes[.random(in: 0..<bytes.count, using: &generator)] =
                    [0, 1, 127, 128, 255].randomElement(
                        using: &generator) ?? 0
            }
            if let decoded = bytes.withUnsafeBytes({ StoredResponse.decoded($0) }) { #expect(decoded.length >= 0) }
        }
    }
}
