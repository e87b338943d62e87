import CPlugboard
import PlugboardKit

/// Sends events to plugins and to the program.
extension ExchangeCore {
    /// Sends one of the kernel's events to those who watch it. The details are made only if there are any.
    @inline(__always)
    func emit(
        _ event: KernelEvent, about head: ResponseHead? = nil, _ details: () -> [(String, EventDetail)] = { [] }
    ) {
        let slots = pipeline.watchers.slots(event)
        if slots.isEmpty && watch == nil { return }
        withoutActuallyEscaping(details) { tell(event, about: head, $0, slots) }
    }

    /// The event lives until this returns, and the details with it.
    @inline(never)
    private func tell(
        _ event: KernelEvent, about head: ResponseHead?, _ details: @escaping () -> [(String, EventDetail)],
        _ slots: [Watchers.Listener]
    ) {
        tell(EventNode(event, head, details), slots)
    }

    /// The details of events about the source of an exchange: which plugin sent a sub-request and for which exchange,
    /// and which plugin responded.
    var origins: [(String, EventDetail)] {
        var origins: [(String, EventDetail)] = []
        if let sender = family.sender { origins.append(("by", .text(pipeline.slots[sender].id))) }
        if let askerNumber = family.askerNumber { origins.append(("for", .integer(Int64(clamping: askerNumber)))) }
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

    /// Sends an event about a plugin's misbehaviour, which concerns the whole kernel too.
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
                guard !steering.exclusions.deaf.contains(slot.bit) else { return }
                calling(slot, .onEvent) { slot.plugin.pointee.on_event?(slot.instance, exchange, fact) }
            }
        }
        watch?(event.exchangeEvent)
    }
}
