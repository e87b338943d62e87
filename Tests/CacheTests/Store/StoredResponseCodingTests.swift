import PlugboardKit
import TestSupport
import Testing

@testable import CachePlugin

@Suite struct StoredResponseCodingTests {
    private func whole() -> StoredResponse {
        var answer = StoredResponse.sample("key", url: "https://example.com/é", note: "n")
        answer.status = 206
        answer.fields.append("Set-Cookie", "secret=1")
        answer.fields.append("X-Empty", "")
        answer.requested = .nanoseconds(-1)
        answer.received = .seconds(1_700_000_000) + .nanoseconds(123)
        answer.selecting = [.init(name: "accept", value: ""), .init(name: "x", value: nil)]
        answer.version = "2.0"
        answer.timeToLive = .milliseconds(10)
        answer.isInvalidated = true
        answer.range = .init(first: 10, complete: 100)
        return answer
    }

    @Test func `a head comes back as it was, secrets marked`() throws {
        var answer = whole()
        answer.fields.append("X-Token", "t")
        answer.fields.markSecret("X-Token")

        let encoded = answer.encoded(length: 77)
        let decoded = try #require(encoded.withUnsafeBytes { StoredResponse.decoded($0) })

        #expect(decoded.length == 77)
        #expect(decoded.answer.encoded(length: 77) == encoded)
        #expect(Array(decoded.answer.fields) == Array(answer.fields))
        #expect(decoded.answer.selecting == answer.selecting)
        #expect(decoded.answer.range == answer.range)
        #expect(decoded.answer.timeToLive == answer.timeToLive)
        #expect(decoded.answer.received == answer.received && decoded.answer.requested == answer.requested)
        #expect(decoded.answer.status == 206 && decoded.answer.isInvalidated && decoded.answer.version == "2.0")
        #expect(decoded.answer.key == answer.key && decoded.answer.url == answer.url)
    }

    @Test func `a head that is cut anywhere, or longer, is none`() {
        let encoded = whole().encoded(length: 5)

        for count in 0..<encoded.count {
            #expect(encoded[..<count].withUnsafeBytes { StoredResponse.decoded($0) } == nil)
        }
        #expect((encoded + [0]).withUnsafeBytes { StoredResponse.decoded($0) } == nil)
    }

    @Test(arguments: [(-1, 100), (Int.min, nil), (0, -1), (5, Int.min)])
    func `a part of what cannot be is no head`(first: Int, complete: Int?) {
        var answer = whole()
        answer.range = .init(first: first, complete: complete)

        let decoded = answer.encoded(length: 5).withUnsafeBytes { StoredResponse.decoded($0) }

        #expect(decoded == nil)
    }

    @Test func `any bytes at all are a head or none, and never a crash`() {
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
