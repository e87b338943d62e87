import CPlugboard
import PlugboardKit

/// Events for plugins and the program.
extension ExchangeCore {
    /// Sends one of the kernel's events to those who watch it. The facts are looked up only if there are any.
    @inline(__always)
    func emit(
        _ event: KernelEvent, _ facts: @autoclosure () -> EventFacts = .nothing, about head: ResponseHead? = nil
    ) {
        let listeners = pipeline.watchers.listeners(event)
        if listeners.isEmpty && watch == nil { return }
        deliver(event, facts(), about: head, listeners)
    }

    /// The event lives until this returns, and the details with it.
    @inline(never)
    private func deliver(
        _ event: KernelEvent, _ facts: EventFacts, about head: ResponseHead?, _ listeners: Watchers.Listeners
    ) {
        // An event within an event, such as one that a plugin's hook causes, gets a node of its own.
        let node = home.idleEvent.take() ?? EventNode(event)
        withUnsafePointer(to: facts) { facts in
            node.begin(event, of: self, facts, about: head)
            deliver(node, listeners)
            node.end()
        }
        if home.idleEvent == nil { home.idleEvent = node }
    }

    /// An event of a plugin's own.
    func publish(_ event: EventNode) {
        deliver(event, pipeline.watchers.listeners(event.id))
    }

    /// Sends an event about a plugin's misbehaviour, which concerns the whole kernel too.
    func report(_ event: KernelEvent, _ details: EventNode.Details) {
        let node = EventNode(event, details)
        deliver(node, pipeline.watchers.listeners(event))
        core.watch?(node.observed)
    }

    @inline(__always)
    private func deliver(_ event: EventNode, _ listeners: some Sequence<Listener>) {
        let (exchange, fact) = (pointer, event.pointer)
        defer { withExtendedLifetime(event) {} }
        // The same as `calling` for each plugin, with what is the same for all done once.
        let outer = frame
        // No listener can change it: only a resend does.
        let exclusions = steering.exclusions.eventExclusions
        // Unmanaged, because the loop keeps it and an event counts no references.
        Unmanaged.passUnretained(home.containment)._withUnsafeGuaranteedRef { containment in
            containment.callOnEvent(of: listeners, where: { exclusions.isDisjoint(with: $0.bit) }) { listener in
                frame = listener.frame
                listener.call(exchange, fact)
            }
        }
        frame = outer
        if outer.isEmpty { views.clear(home) }
        watch?(event.observed)
    }
}
