import PlugboardKit
import PlugboardRetryOptions
import Testing

struct RetryRequestTests {
    @Test func `attributes of a request read back as they were set`() {
        var request = Request(.get, "http://origin.test/")
        let silent = request

        request.retry.attempts = 7
        request.retry.delay = .milliseconds(20)
        request.retry.delayLimit = .seconds(2)
        request.retry.totalTime = .seconds(90)
        request.retry.statuses = [503, 429]
        request.retry.failures = [.transportReset, .transportDNS]
        request.retry.methods = ["QUERY"]
        request.retry.idempotencyKey = true
        request.retry.respectRetryAfter = false
        request.retry.retryAfterLimit = .seconds(120)

        #expect(request.retry.attempts == 7 && request.retry.delay == .milliseconds(20))
        #expect(request.retry.delayLimit == .seconds(2) && request.retry.totalTime == .seconds(90))
        #expect(request.retry.statuses == [429, 503] && request.retry.failures == [.transportDNS, .transportReset])
        #expect(request.retry.methods == ["QUERY"] && request.retry.idempotencyKey == true)
        #expect(request.retry.respectRetryAfter == false && request.retry.retryAfterLimit == .seconds(120))
        #expect(silent.retry.attempts == nil && silent.retry.statuses == nil && silent.retry.failures == nil)
    }

    @Test func `attributes are stored as texts, as in configurations`() {
        var request = Request(.get, "http://origin.test/")

        request.retry.statuses = [503, 429]
        request.retry.totalTime = .seconds(90)
        request.retry.attempts = nil

        #expect(request.attributes.values == ["retry.statuses": #"["429","503"]"#, "retry.totalTime": "90s"])
    }
}
