import Plugboard
import PlugboardEventLoop
import PlugboardRetryOptions
import TestSupport
import Testing

@testable import PlugboardRetry

struct IdempotencyKeyTests {
    private let clock = ManualClock()

    @Test func `a key is a random UUID, as a string of structured fields`() {
        let key = IdempotencyKey(random: (0..<16).map { UInt8($0) * 17 })

        #expect(key.value == #""00112233-4455-4677-8899-aabbccddeeff""#)
    }

    @Test(arguments: Linkage.allCases)
    func `a POST has the same key at all its attempts, and is repeated`(linkage: Linkage) async throws {
        let transport = failing(2, 500)
        let kernel = try linkage.kernel(retryPlugin(), transport, clock: clock, settings: ["idempotencyKey": true])

        let response = try await kernel.send(Request(.post, anywhere, body: .text("x")), passing: clock)

        let keys = transport.requests.map { $0.fields[IdempotencyKey.field] }
        #expect(response.status == 200 && keys.count == 3)
        #expect(Set(keys).count == 1 && keys.first??.count == 38)
    }

    @Test(arguments: Linkage.allCases)
    func `each request has its own key`(linkage: Linkage) async throws {
        let transport = MockTransport()
        let kernel = try linkage.kernel(retryPlugin(), transport, clock: clock)
        var request = Request(.patch, anywhere)
        request.retry.idempotencyKey = true

        for _ in 0..<10 { _ = try await kernel.send(request, passing: clock) }

        #expect(Set(transport.requests.map { $0.fields[IdempotencyKey.field] }).count == 10)
    }

    @Test(arguments: Linkage.allCases, [("POST", true), ("PATCH", true), ("GET", false), ("PUT", false)])
    func `only requests that could not be repeated otherwise get a key`(
        linkage: Linkage, sample: (method: String, hasKey: Bool)
    ) async throws {
        let transport = MockTransport()
        let kernel = try linkage.kernel(retryPlugin(), transport, clock: clock, settings: ["idempotencyKey": true])

        _ = try await kernel.send(Request(.init(sample.method), anywhere), passing: clock)

        #expect(transport.requests.first?.fields.contains(IdempotencyKey.field) == sample.hasKey)
    }

    @Test(arguments: Linkage.allCases, [true, false])
    func `a caller's own key stays, and allows repetitions`(linkage: Linkage, makesKeys: Bool) async throws {
        let transport = failing(1, 500)
        let kernel = try linkage.kernel(
            retryPlugin(), transport, clock: clock, settings: ["idempotencyKey": .bool(makesKeys)])

        let response = try await kernel.send(
            Request(.post, anywhere, fields: ["Idempotency-Key": "mine"]), passing: clock)

        #expect(response.status == 200)
        #expect(transport.requests.map { $0.fields.values(IdempotencyKey.field) } == [["mine"], ["mine"]])
    }

    @Test(arguments: Linkage.allCases)
    func `the key stays when a plugin further out repeats the request, and is removed when the method changes`(
        linkage: Linkage
    ) async throws {
        let transport = MockTransport()
        let outer = ScriptedPlugin("outer", priority: 400)
        outer.onResponse = { exchange in
            if exchange.attempt == 3 { return .next }
            if exchange.attempt == 2 { exchange.request.method = .get }
            return .resend()
        }
        let kernel = try linkage.kernel(
            retryPlugin(), transport, clock: clock, settings: ["idempotencyKey": true], beside: [outer])

        _ = try await kernel.send(Request(.post, anywhere), passing: clock)

        let keys = transport.requests.map { $0.fields[IdempotencyKey.field] }
        #expect(keys.count == 3 && keys[0] != nil && keys[0] == keys[1] && keys[2] == nil)
    }
}
