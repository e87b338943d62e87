import CPlugboard
import PlugboardKit

/// Events for plugins and the program.
extension ExchangeCore {
    /// Sends one of the kernel's events to those who watch it. The details are made only if there are any.
    @inline(__always)
    func emit(
        _ event: KernelEvent, about head: ResponseHead? = nil,
        _ details: () -> EventNode.Details
    ) {
        let slots = pipeline.watchers.slots(event)
        if slots.isEmpty && watch == nil { return }
        withoutActuallyEscaping(details) { deliver(event, about: head, $0, slots) }
    }

    /// The same without details.
    @inline(__always)
    func emit(_ event: KernelEvent, about head: ResponseHead? = nil) {
        let slots = pipeline.watchers.slots(event)
        if slots.isEmpty && watch == nil { return }
        deliver(event, about: head, nil, slots)
    }

    /// The event lives until this returns, and the details with it.
    @inline(never)
    private func deliver(
        _ event: KernelEvent, about head: ResponseHead?, _ details: (() -> EventNode.Details)?,
        _ slots: [Watchers.Listener]
    ) {
        let url = head == nil ? nil : request.head.url
        // An event within an event, such as one that a plugin's hook causes, gets a node of its own.
        guard let node = home.idleEvent.take() else {
            return deliver(EventNode(event, head, from: url, details), slots)
        }
        node.begin(event, head, from: url, details)
        deliver(node, slots)
        node.end()
        home.idleEvent = node
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
        // The same as `calling` for each slot, with what is the same for all done once.
        let outer = frame
        home.containment.call(
            each: slots, .onEvent, where: { !steering.exclusions.eventExclusions.contains($0.bit) }
        ) { slot in
            frame = CallFrame(slot, .onEvent)
            slot.onEvent?(slot.instance, exchange, fact)
            if outer.isEmpty { views.clear() }
        }
        frame = outer
        watch?(event.observed)
    }
}
