import PlugboardKit
import Testing

@testable import PlugboardLogging

struct ExchangeSummaryTests {
    @Test func `an ended exchange is one line`() {
        let text = summary(status: 200, received: 1234, took: .milliseconds(34), attempts: 2).text

        #expect(text == "GET https://example.com/?q=… → 200 1.2 KiB in 34 ms (2 attempts)")
    }

    @Test(arguments: [
        (0, "0 B"), (1, "1 B"), (999, "999 B"), (1000, "1.0 KiB"), (1536, "1.5 KiB"), (5 << 20, "5.0 MiB"),
        (3 << 30, "3.0 GiB"), (5000 << 30, "5000.0 GiB"),
    ])
    func `sizes have a unit and at most four digits`(count: Int, size: String) {
        let text = summary(status: 200, received: count, took: .zero).text

        #expect(text.hasSuffix(" → 200 \(size) in 0.0 ms"))
    }

    @Test(arguments: [
        (Duration.microseconds(450), "0.5 ms"), (.milliseconds(9), "9.0 ms"), (.milliseconds(34), "34 ms"),
        (.milliseconds(9999), "9999 ms"), (.seconds(12), "12.0 s"), (.seconds(-1), "0.0 ms"),
    ])
    func `times have a unit and at most four digits`(took: Duration, time: String) {
        let text = summary(status: 204, took: took).text

        #expect(text.hasSuffix(" → 204 in \(time)"))
    }

    @Test func `a response without an attempt is not sent`() {
        #expect(summary(status: 200, took: .zero, attempts: 0).text.hasSuffix(" → 200 in 0.0 ms (not sent)"))
    }

    @Test func `a failure shows its code and reason, and counts as a failure`() {
        let failure = PlugboardError(.transportConnect, "Nobody listens there.")
        let summary = summary(outcome: .failed, failure: failure)

        #expect(summary.text.hasSuffix("/?q=… failed after 0.0 ms: transport.connect: Nobody listens there."))
        #expect(summary.isFailure)
    }

    @Test func `a broken body shows its status too`() {
        let failure = PlugboardError(.bodyCut, "It was cut.")

        let text = summary(status: 200, received: 10, outcome: .failed, failure: failure).text

        #expect(text.contains(" → 200 10 B failed after "))
    }

    @Test(arguments: [
        (PlugboardError.Code.cancelled, "cancelled after 0.0 ms"), (.ignored, "ignored after 0.0 ms: ignored: why"),
        (.queued, "queued after 0.0 ms: queued: why"),
    ])
    func `a cancelled, ignored or queued exchange is not a failure`(code: PlugboardError.Code, ending: String) {
        let summary = summary(
            outcome: code == .cancelled ? .cancelled : .failed, failure: PlugboardError(code, "why"))

        #expect(!summary.isFailure)
        #expect(summary.text.hasSuffix(ending))
    }

    @Test func `the exchange's timeout is a failure although its turns are cancelled`() {
        let summary = summary(outcome: .cancelled, failure: PlugboardError(.timeoutExchange, "too slow"))

        #expect(summary.isFailure)
        #expect(summary.text.hasSuffix("ended after 0.0 ms: timeout.exchange: too slow"))
    }

    @Test(arguments: [(TurnOutcome.replaced, "replaced"), (.resent, "sent again"), (.cancelled, "cancelled")])
    func `a turn that closes without a failure shows its outcome`(outcome: TurnOutcome, word: String) {
        #expect(summary(status: 200, outcome: outcome).text.contains(" → 200 \(word) after "))
    }

    private func summary(
        status: Int? = nil, received: Int? = nil, took: Duration = .zero, attempts: Int = 1,
        outcome: TurnOutcome = .ended,
        failure: PlugboardError? = nil
    ) -> ExchangeSummary {
        ExchangeSummary(
            method: "GET", url: "https://example.com/?q=…", status: status, received: received, took: took,
            attempts: attempts, outcome: outcome, failure: failure)
    }
}

extension ExchangeSummary {
    fileprivate var text: String { text(url) }
}
