import CPlugboard
import PlugboardKit

/// Events for plugins and the program.
extension ExchangeCore {
    /// Sends one of the kernel's events to those who watch it. The details are made only if there are any.
    @inline(__always)
    func emit(
        _ event: KernelEvent, about head: ResponseHead? = nil,
        _ details: () -> [(String, ObservedEvent.Detail)] = { [] }
    ) {
        let slots = pipeline.watchers.slots(event)
        if slots.isEmpty && watch == nil { return }
        withoutActuallyEscaping(details) { deliver(event, about: head, $0, slots) }
    }

    /// The event lives until this returns, and the details with it.
    @inline(never)
    private func deliver(
        _ event: KernelEvent, about head: ResponseHead?, _ details: @escaping () -> [(String, ObservedEvent.Detail)],
        _ slots: [Watchers.Listener]
    ) {
        deliver(EventNode(event, head, from: head == nil ? nil : request.head.url, details), slots)
    }

    /// What events say of where an exchange comes from: which plugin sent a sub-request and for which exchange, and
    /// which plugin responded.
    var provenance: [(String, ObservedEvent.Detail)] {
        var provenance: [(String, ObservedEvent.Detail)] = []
        if let sender = family.sender { provenance.append(("by", .text(pipeline.slots[sender].id))) }
        if let parentNumber = family.parentNumber {
            provenance.append(("for", .integer(Int64(clamping: parentNumber))))
        }
        if let responder {
            provenance.append(("respondedBy", .text(responder.id)))
            if response?.isOfSubRequest == true { provenance.append(("respondedWith", .text("subRequest"))) }
        }
        return provenance
    }

    /// An event of a plugin's own.
    func publish(_ event: EventNode) {
        deliver(event, pipeline.watchers.slots(event.id))
    }

    /// Sends an event about a plugin's misbehaviour, which concerns the whole kernel too.
    func report(_ event: KernelEvent, _ details: [(String, ObservedEvent.Detail)]) {
        let node = EventNode(event) { details }
        deliver(node, pipeline.watchers.slots(event))
        core.watch?(node.observed)
    }

    private func deliver(_ event: EventNode, _ slots: [Watchers.Listener]) {
        let (exchange, fact) = (pointer, event.pointer)
        defer { withExtendedLifetime(event) {} }
        for slot in slots {
            slot._withUnsafeGuaranteedRef { slot in
                guard !steering.exclusions.eventExclusions.contains(slot.bit) else { return }
                calling(slot, .onEvent) { slot.plugin.pointee.on_event?(slot.instance, exchange, fact) }
            }
        }
        watch?(event.observed)
    }
}
