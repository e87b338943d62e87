import CPlugboard
import PlugboardKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// One call of a hook in one exchange, as a program that traces it hears of it. Holds no values of fields and attributes.
public struct HookCall: Sendable, Equatable {
    /// Counted from 1 as the calls of one trace begin.
    public let number: Int
    /// The plugin's id.
    public let plugin: String
    /// `onRequest`, `onResponse`, `onFailure` or `onClose`.
    public let hook: String
    /// Why the hook ran: the first time, or again.
    public let visit: Visit
    /// What it decided: `next`, `respond 304`, `resend after 100ms`, `hold`, `wait`, `fail cache.damaged`, `fault`; of `onClose` how the turn closed.
    public let verdict: String
    /// Parts of the heads that it changed: `url`, `method`, `status`, `body`, and names of fields and attributes.
    public let edits: [String]
    /// Nanoseconds of the system's monotonic clock.
    public let began: Int64
    public let took: Duration
}

/// The heads as a hook found them, and when.
struct HookCallStart {
    private let request: Request
    private let requestBody: BodyNode?
    private let response: OutwardResponse?
    let number: Int
    let began: Int64

    init(_ exchange: ExchangeCore, _ slot: Slot, _ trace: ExchangeTrace) {
        number = trace.nextCall(of: slot)
        request = exchange.request
        requestBody = exchange.requestBody
        response = exchange.response
        began = clockTime(CLOCK_MONOTONIC)
    }

    /// What is other now.
    func edits(_ exchange: ExchangeCore) -> [String] {
        var edits: [String] = []
        if request.url != exchange.request.url { edits.append("url") }
        if request.method != exchange.request.method { edits.append("method") }
        edits += HookCallStart.changes(request.fields, exchange.request.fields)
        let (old, new) = (request.attributes.values, exchange.request.attributes.values)
        edits += Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }.sorted()
        if requestBody !== exchange.requestBody { edits.append("body") }
        guard let before = response, let after = exchange.response else { return edits }
        if before.head.status != after.head.status { edits.append("status") }
        edits += HookCallStart.changes(before.head.fields, after.head.fields)
        if before.body !== after.body { edits.append("body") }
        return edits
    }

    private static func changes(_ old: Fields, _ new: Fields) -> [String] {
        func values(_ fields: Fields) -> [FieldName: [String]] {
            var values: [FieldName: [String]] = [:]
            for field in fields { values[FieldName(field.name), default: []].append(field.value) }
            return values
        }
        let (old, new) = (values(old), values(new))
        return Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }.map(\.text).sorted()
    }
}

extension ExchangeCore {
    func tell(_ decision: Decision, of slot: Slot, _ reason: Visit, _ start: HookCallStart, _ edits: [String]) {
        let isFault = faultTold
        faultTold = false
        trace?.tell(
            .called(
                HookCall(
                    number: start.number, plugin: slot.id, hook: "\(stage.hook)", visit: reason,
                    verdict: isFault ? "fault" : decision.words, edits: edits, began: start.began,
                    took: .nanoseconds(clockTime(CLOCK_MONOTONIC) - start.began))))
    }

    /// Calls `onClose`, and tells of it where somebody traces.
    func close(_ slot: Slot, _ outcome: Outcome) {
        let exchange = pointer
        let start = trace.map { (number: $0.nextCall(of: slot), began: clockTime(CLOCK_MONOTONIC)) }
        calling(slot, .onClose) { slot.plugin.pointee.on_close?(slot.instance, exchange, outcome.rawValue) }
        guard let start else { return }
        trace?.tell(
            .called(
                HookCall(
                    number: start.number, plugin: slot.id, hook: "\(CalledHook.onClose)", visit: .first,
                    verdict: "\(outcome)", edits: [], began: start.began,
                    took: .nanoseconds(clockTime(CLOCK_MONOTONIC) - start.began))))
    }
}

extension Decision {
    fileprivate var words: String {
        switch self {
        case .next: "next"
        case .respond(let answer): "respond \(answer.head.status)"
        case .resend(let delay): delay == .zero ? "resend" : "resend after \(delay.configured)"
        case .hold: "hold"
        case .wait: "wait"
        case .fail(let error): "fail \(error.code)"
        }
    }
}
