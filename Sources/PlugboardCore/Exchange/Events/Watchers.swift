import PlugboardKit

/// Which plugins get which events, known at start-up: an event that no plugin gets is never made.
///
/// Sendable because nothing in it changes.
struct Watchers: ~Copyable, @unchecked Sendable {
    /// The plugins that get one event of the kernel. In memory of the watchers, so that an event counts no references.
    typealias Listeners = UnsafeBufferPointer<Listener>

    private let ofAll: [Listener]
    /// By the event's number.
    private let ofKernel: [Listeners]
    private let ofPlugins: [String: [Listener]]
    /// Whether a plugin gets events of plugins.
    let watchesPlugins: Bool
    /// Whether a plugin wants milestones or progress, which cost the transport something.
    let isWatchedClosely: Bool
    /// Whether a plugin lists `networkChanged`, for which the kernel opens a socket.
    let wantsNetwork: Bool

    init(_ slots: [Slot]) {
        let chosen = slots.compactMap { slot in
            Listener(slot).map { ($0, (try? PluginDescriptor(checking: slot.plugin))?.events ?? []) }
        }
        ofAll = chosen.filter { $0.1.isEmpty }.map(\.0)
        ofKernel = KernelEvent.allCases.map { event in
            let listeners = chosen.filter { $0.1.isEmpty || $0.1.contains(event.name) }.map(\.0)
            let memory = UnsafeMutableBufferPointer<Listener>.allocate(capacity: listeners.count)
            _ = memory.initialize(from: listeners)
            return Listeners(memory)
        }
        var others: [String: [Listener]] = [:]
        for (listener, events) in chosen {
            for event in events { others[event, default: []].append(listener) }
        }
        ofPlugins = others
        let kernelNames = Set(KernelEvent.allCases.map(\.name))
        watchesPlugins = !ofAll.isEmpty || others.keys.contains { !kernelNames.contains($0) }
        let close: [KernelEvent] = [.resolved, .connected, .secured, .sent, .firstByte, .progress]
        isWatchedClosely = close.contains { event in
            chosen.contains { $0.1.isEmpty || $0.1.contains(event.name) }
        }
        wantsNetwork = others[KernelEvent.networkChanged.name] != nil
    }

    deinit {
        for listeners in ofKernel { listeners.deallocate() }
    }

    /// The plugins that get this event of the kernel; as long as the watchers live.
    @inline(__always)
    func listeners(_ event: KernelEvent) -> Listeners { ofKernel[event.rawValue] }

    /// The plugins that get this event of a plugin.
    func listeners(_ id: String) -> [Listener] { ofPlugins.isEmpty ? ofAll : ofAll + (ofPlugins[id] ?? []) }
}
