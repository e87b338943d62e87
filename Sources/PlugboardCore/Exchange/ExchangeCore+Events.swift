import CPlugboard
import PlugboardKit

/// The kernel's own events; plugins publish others under their ids.
public enum KernelEvent: Int, Sendable, CaseIterable {
    case created, started, willSuspend, suspended, resumed, willCancel, cancelled
    case attemptBegan, attemptEnded, resolved, connected, secured, sent, firstByte
    case interim, headReceived, progress, resendScheduled, willComplete, completed
    case pluginFaulted, pluginDisabled, pluginStalled

    /// Its id.
    public var name: String { KernelEvent.names[rawValue] }

    private static let names = allCases.map { "\($0)" }

    public init?(name: String) {
        guard let event = KernelEvent.allCases.first(where: { $0.name == name }) else { return nil }
        self = event
    }
}

/// A detail of an event.
public enum EventDetail: Sendable, Equatable {
    case text(String)
    /// Durations in nanoseconds.
    case integer(Int64)
}

/// A fact about an exchange or the kernel, as a program hears of it.
public struct ExchangeEvent: Sendable {
    /// One of `KernelEvent`'s names, or a plugin's (`cache.hit`).
    public let id: String
    public let details: [String: EventDetail]
    /// The head that the event is about (`interim`, `headReceived`).
    public let head: ResponseHead?

    /// The kernel's event, if it is one.
    public var kernelEvent: KernelEvent? { KernelEvent(name: id) }

    public func integer(_ name: String) -> Int64? {
        if case .integer(let value)? = details[name] { value } else { nil }
    }

    public func text(_ name: String) -> String? {
        if case .text(let value)? = details[name] { value } else { nil }
    }
}

/// Who watches what, known at start-up: an event that nobody watches is never made.
///
/// The pipeline keeps the slots, so that eight listeners to every event count no references.
/// Sendable because nothing in it changes.
struct Watchers: @unchecked Sendable {
    typealias Listener = Unmanaged<Slot>

    private let ofAll: [Listener]
    /// By the event's number.
    private let ofKernel: [[Listener]]
    private let ofPlugins: [String: [Listener]]
    /// Whether somebody wants milestones or progress, which cost the transport something.
    let isWatchedClosely: Bool

    init(_ slots: [Slot]) {
        let watching = slots.filter { $0.hooks.contains(.event) }
        let chosen = watching.map { slot in
            (Listener.passUnretained(slot), (try? PluginDescriptor(checking: slot.plugin))?.events ?? [])
        }
        ofAll = chosen.filter { $0.1.isEmpty }.map(\.0)
        ofKernel = KernelEvent.allCases.map { event in
            chosen.filter { $0.1.isEmpty || $0.1.contains(event.name) }.map(\.0)
        }
        var others: [String: [Listener]] = [:]
        for (slot, events) in chosen {
            for event in events { others[event, default: []].append(slot) }
        }
        ofPlugins = others
        let close: [KernelEvent] = [.resolved, .connected, .secured, .sent, .firstByte, .progress]
        isWatchedClosely = close.contains { event in
            chosen.contains { $0.1.isEmpty || $0.1.contains(event.name) }
        }
    }

    func slots(_ event: KernelEvent) -> [Listener] { ofKernel[event.rawValue] }
    func slots(_ id: String) -> [Listener] { ofPlugins.isEmpty ? ofAll : ofAll + (ofPlugins[id] ?? []) }
}

extension ExchangeCore {
    @inline(__always)
    func emit(
        _ event: KernelEvent, about head: ResponseHead? = nil, _ details: () -> [(String, EventDetail)] = { [] }
    ) {
        let slots = pipeline.watchers.slots(event)
        if slots.isEmpty && watch == nil { return }
        withoutActuallyEscaping(details) { tell(event, about: head, $0, slots) }
    }

    /// The node is gone when this returns, and the details with it.
    @inline(never)
    private func tell(
        _ event: KernelEvent, about head: ResponseHead?, _ details: @escaping () -> [(String, EventDetail)],
        _ slots: [Watchers.Listener]
    ) {
        tell(EventNode(event, head, details), slots)
    }

    /// Of a sub-request whose it is, and of an exchange that a plugin responded to whose response it has.
    var origins: [(String, EventDetail)] {
        var origins: [(String, EventDetail)] = []
        if let sender { origins.append(("by", .text(pipeline.slots[sender].id))) }
        if let askerNumber { origins.append(("for", .integer(Int64(clamping: askerNumber)))) }
        if let responder {
            origins.append(("respondedBy", .text(responder.id)))
            if response?.isOfSubRequest == true { origins.append(("respondedWith", .text("subRequest"))) }
        }
        return origins
    }

    /// An event of a plugin's own.
    func publish(_ event: EventNode) {
        tell(event, pipeline.watchers.slots(event.id))
    }

    /// What befell a plugin, which concerns the kernel as a whole too.
    func report(_ event: KernelEvent, _ details: [(String, EventDetail)]) {
        let node = EventNode(event) { details }
        tell(node, pipeline.watchers.slots(event))
        core.watch?(node.exchangeEvent)
    }

    private func tell(_ event: EventNode, _ slots: [Watchers.Listener]) {
        let (exchange, fact) = (pointer, event.pointer)
        defer { withExtendedLifetime(event) {} }
        for slot in slots {
            slot._withUnsafeGuaranteedRef { slot in
                guard deaf & slot.bit == 0 else { return }
                calling(slot, .onEvent) { slot.plugin.pointee.on_event?(slot.instance, exchange, fact) }
            }
        }
        watch?(event.exchangeEvent)
    }
}
