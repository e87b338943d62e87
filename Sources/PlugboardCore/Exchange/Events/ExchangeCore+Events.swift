import CPlugboard
import PlugboardBorder

/// Events for plugins and the program.
extension ExchangeCore {
    /// Sends one of the kernel's events to its listeners. The facts are looked up only if there are any.
    @inline(__always)
    func emit(_ event: KernelEvent, _ facts: @autoclosure () -> EventFacts = .nothing) {
        let listeners = pipeline.watchers.listeners(event)
        if listeners.slots.isEmpty && !wanted.contains(WantedEvents(event)) { return }
        var facts = facts()
        deliver(event, &facts, listeners)
    }

    /// Sends one of the kernel's events about a head that has come.
    func emit(_ event: KernelEvent, about head: borrowing ResponseHead) {
        // The pointer needs a copy of the head.
        if pipeline.watchers.listeners(event).slots.isEmpty && !wanted.contains(WantedEvents(event)) { return }
        withUnsafePointer(to: head) { head in emit(event, .head(head)) }
    }

    /// Sends the event `attemptEnded`. The attempt's facts are put together only if the event has listeners.
    func emit(ended attempt: @autoclosure () -> EventFacts.EndedAttempt) {
        let listeners = pipeline.watchers.listeners(.attemptEnded)
        if listeners.slots.isEmpty && !wanted.contains(WantedEvents(.attemptEnded)) { return }
        withUnsafePointer(to: attempt()) { attempt in
            var facts = EventFacts.ended(attempt)
            deliver(.attemptEnded, &facts, listeners)
        }
    }

    /// Sends an event, which lives, with its details, until this returns.
    ///
    /// - Parameter facts: They do not change; `inout` saves a copy.
    @inline(never)
    private func deliver(_ event: KernelEvent, _ facts: inout EventFacts, _ listeners: Watchers.Listeners) {
        // An event within an event, such as one that a plugin's hook causes, gets a node of its own.
        let node = home.idleEvent.take() ?? EventNode(event)
        withUnsafePointer(to: &facts) { facts in
            node.begin(event, of: self, facts)
            deliver(node, listeners)
            if wanted.contains(WantedEvents(event)) { tellWatch(node) }
            node.end()
        }
        if home.idleEvent == nil { home.idleEvent = node }
    }

    /// Delivers an event that a plugin published.
    func publish(_ event: EventNode) {
        deliverOneByOne(event, pipeline.watchers.listeners(event.id))
        if wanted.contains(.ofPlugins) { tellWatch(event) }
    }

    /// Sends an event about a plugin's misbehaviour, which concerns the whole kernel too.
    func report(_ event: KernelEvent, _ details: EventNode.Details) {
        let node = EventNode(event, details)
        deliverOneByOne(node, pipeline.watchers.listeners(event).slots)
        if wanted.contains(WantedEvents(event)) { tellWatch(node) }
        core.tell(WantedEvents(event), node.observed)
    }

    @inline(__always)
    private func deliver(_ event: EventNode, _ listeners: Watchers.Listeners) {
        if isMeasured || !listeners.slots.isDisjoint(with: steering.exclusions.eventExclusions) {
            deliverOneByOne(event, listeners.slots)
        } else {
            deliverInRound(event.pointer, listeners.callees)
        }
        withExtendedLifetime(event) {}
    }

    // Not inlined, so that the loop keeps its values in registers.
    @inline(never)
    private func deliverInRound(
        _ fact: OpaquePointer, _ listeners: UnsafeMutableBufferPointer<Callee<HookTables.Event>>
    ) {
        let exchange = pointer
        inRound(.onEvent) { round, _ in
            for listener in listeners {
                begin(listener, round)
                listener.function(listener.instance, exchange, fact)
            }
        }
    }

    @inline(never)
    func deliverOneByOne(_ event: EventNode, _ listeners: SlotSet) {
        // No listener can change the exclusions: only a resend does.
        var left = listeners.subtracting(steering.exclusions.eventExclusions)
        while let slot = left.takeOutermost() {
            let listener = pipeline.tables.event.callees[slot]
            calling(listener.slot, .onEvent) { listener.function(listener.instance, pointer, event.pointer) }
        }
        withExtendedLifetime(event) {}
    }

    @inline(never)
    private func tellWatch(_ event: EventNode) { tellWatch(event.observed) }
}
