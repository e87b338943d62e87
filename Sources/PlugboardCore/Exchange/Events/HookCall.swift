import PlugboardBorder
import PlugboardSystem

/// One call of a hook in one exchange, as a program that traces it gets it. Holds no values of fields and attributes.
public struct HookCall: Sendable, Equatable {
    /// Counted from 1 as the calls of one trace begin.
    public let number: Int
    /// The plugin's id.
    public let plugin: String
    /// `onRequest`, `onResponse`, `onFailure` or `onClose`.
    public let hook: String
    /// Why the hook ran: the first time, or again.
    public let visit: Visit
    /// What it decided: `next`, `respond 304`, `resend after 100ms`, `hold`, `wait`, `fail cache.damaged`, `fault`; for
    /// `onClose` how the turn closed.
    public let verdict: String
    /// Parts of the heads that it changed: `url`, `method`, `status`, `body`, and names of fields and attributes.
    public let edits: [String]
    /// When it began, in nanoseconds of the system's monotonic clock.
    public let began: Int64
    /// The time from the call to its return.
    public let took: Duration
}

/// The heads as a hook found them, and the time of its call.
///
/// A class, so that exchanges without a trace move no more than a pointer.
final class HookCallStart {
    private let found: FoundMessages
    private let number: Int
    private let began: Int64

    /// - Parameter trace: Nil in an exchange of which only plugins are told.
    init(_ exchange: ExchangeCore, _ slot: Slot, _ trace: ExchangeTrace?) {
        number = trace?.nextCall(of: slot) ?? 0
        found = FoundMessages(exchange)
        began = clockTime(CLOCK_MONOTONIC)
    }

    /// What the hook has changed.
    func edits(_ exchange: ExchangeCore) -> [String] {
        var edits: [String] = []
        let (before, after) = (found.request.head, exchange.request.head)
        if before.url != after.url { edits.append("url") }
        if before.method != after.method { edits.append("method") }
        edits += HookCallStart.changes(before.fields, after.fields)
        let (old, new) = (before.attributes.values, after.attributes.values)
        edits += Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }.sorted()
        if found.request.body !== exchange.request.body { edits.append("body") }
        guard let before = found.response, let after = exchange.response else { return edits }
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

    /// The call, when it has returned.
    func call(_ verdict: String, of slot: Slot, _ hook: String, _ visit: Visit, _ edits: [String]) -> HookCall {
        HookCall(
            number: number, plugin: slot.id, hook: hook, visit: visit, verdict: verdict, edits: edits,
            began: began, took: .nanoseconds(clockTime(CLOCK_MONOTONIC) - began))
    }
}

extension ExchangeCore {
    /// What is to be told of a call that begins now; nil if neither a trace nor a plugin wants it.
    @inline(never)
    func beginCall(of slot: Slot) -> HookCallStart? {
        trace != nil || tellsPlugins ? HookCallStart(self, slot, trace) : nil
    }

    /// Adds a call that has returned to the trace, and tells the plugins that watch calls.
    @inline(never)
    func tell(_ call: HookCall) {
        trace?.add(.call(call))
        guard tellsPlugins else { return }
        let details: EventNode.Details = [
            ("plugin", .text(call.plugin)), ("hook", .text(call.hook)), ("visit", .text("\(call.visit)")),
            ("verdict", .text(call.verdict)), ("took", .integer(call.took.nanoseconds)),
            ("changed", .text(call.edits.joined(separator: " "))),
        ]
        deliverOneByOne(
            EventNode(.hookReturned, details), pipeline.watchers.listeners(KernelEvent.hookReturned).slots)
    }

    private var tellsPlugins: Bool {
        isMeasured && !pipeline.watchers.listeners(KernelEvent.hookReturned).slots.isEmpty
    }
}
