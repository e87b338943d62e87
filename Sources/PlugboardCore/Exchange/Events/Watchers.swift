import PlugboardBorder

/// Which plugins get which events, known at start-up: an event that no plugin gets is never made.
///
/// Sendable because nothing in it changes.
struct Watchers: ~Copyable, @unchecked Sendable {
    /// The plugins that get one event of the kernel.
    struct Listeners {
        let slots: SlotSet
        /// Their functions, outermost first. In memory of the watchers, so that an event needs no reference counting.
        let callees: UnsafeMutableBufferPointer<Callee<HookTables.Event>>
    }

    /// The listeners to the kernel's events, by the event's number.
    private let ofKernel: [Listeners]
    private let ofPlugins: [String: SlotSet]
    /// The slots whose plugins get all events of plugins.
    private let ofAllPlugins: SlotSet
    /// Whether a plugin gets events of plugins.
    let watchesPlugins: Bool
    /// Whether a plugin gets milestones or progress, which cost the transport time.
    let isWatchedClosely: Bool
    /// Whether a plugin lists `networkChanged`, for which the kernel opens a socket.
    let wantsNetwork: Bool

    init(_ slots: [Slot], _ tables: borrowing HookTables) {
        let chosen = slots.filter { $0.hooks.contains(.event) }.map { slot in
            (slot: slot.bit, events: (try? PluginDescriptor(checking: slot.plugin))?.events ?? [])
        }
        let ofAll = SlotSet(chosen.filter(\.events.isEmpty).map(\.slot))
        var others: [String: SlotSet] = [:]
        for (slot, events) in chosen {
            for event in events { others[event, default: []].insert(slot) }
        }
        ofAllPlugins = ofAll.union(others["*.*"] ?? [])
        let functions = tables.event.callees
        ofKernel = KernelEvent.allCases.map { event in
            let slots = others.isEmpty ? ofAll : ofAll.union(others[event.name] ?? [])
            let callees = slots.map { functions[$0] }
            let memory = UnsafeMutableBufferPointer<Callee<HookTables.Event>>.allocate(capacity: callees.count)
            _ = memory.initialize(from: callees)
            return Listeners(slots: slots, callees: memory)
        }
        ofPlugins = others
        watchesPlugins = !ofAll.isEmpty || others.keys.contains { KernelEvent(name: $0) == nil }
        let events = others.keys.compactMap { KernelEvent(name: $0) }
        isWatchedClosely = !ofAll.isEmpty || events.contains(where: KernelEvent.close.contains)
        wantsNetwork = events.contains(.networkChanged)
    }

    deinit {
        for listeners in ofKernel { listeners.callees.deallocate() }
    }

    /// The plugins that get this event of the kernel; as long as the watchers live.
    @inline(__always)
    func listeners(_ event: KernelEvent) -> Listeners { ofKernel[event.rawValue] }

    /// The slots whose plugins get this event of a plugin.
    func listeners(_ id: String) -> SlotSet {
        ofPlugins.isEmpty ? ofAllPlugins : ofAllPlugins.union(ofPlugins[id] ?? [])
    }
}
