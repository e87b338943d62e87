import PlugboardKit

/// Which plugins get which events, known at start-up: an event that no plugin gets is never made.
///
/// Sendable because nothing in it changes.
struct Watchers: @unchecked Sendable {
    private let ofAll: [Listener]
    /// By the event's number.
    private let ofKernel: [[Listener]]
    private let ofPlugins: [String: [Listener]]
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
            chosen.filter { $0.1.isEmpty || $0.1.contains(event.name) }.map(\.0)
        }
        var others: [String: [Listener]] = [:]
        for (listener, events) in chosen {
            for event in events { others[event, default: []].append(listener) }
        }
        ofPlugins = others
        let close: [KernelEvent] = [.resolved, .connected, .secured, .sent, .firstByte, .progress]
        isWatchedClosely = close.contains { event in
            chosen.contains { $0.1.isEmpty || $0.1.contains(event.name) }
        }
        wantsNetwork = others[KernelEvent.networkChanged.name] != nil
    }

    /// The plugins that get this event of the kernel.
    func listeners(_ event: KernelEvent) -> [Listener] { ofKernel[event.rawValue] }

    /// The plugins that get this event of a plugin.
    func listeners(_ id: String) -> [Listener] { ofPlugins.isEmpty ? ofAll : ofAll + (ofPlugins[id] ?? []) }
}
