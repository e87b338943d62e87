import PlugboardKit

/// Which plugins get which events, known at start-up: an event that no plugin gets is never made.
///
/// The pipeline keeps the slots, so that an event for many plugins counts no references.
/// Sendable because nothing in it changes.
struct Watchers: @unchecked Sendable {
    typealias Listener = Unmanaged<Slot>

    private let ofAll: [Listener]
    /// By the event's number.
    private let ofKernel: [[Listener]]
    private let ofPlugins: [String: [Listener]]
    /// Whether a plugin wants milestones or progress, which cost the transport something.
    let isWatchedClosely: Bool
    /// Whether a plugin lists `networkChanged`, for which the kernel opens a socket.
    let wantsNetwork: Bool

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
        wantsNetwork = others[KernelEvent.networkChanged.name] != nil
    }

    /// The slots that get this event of the kernel.
    func slots(_ event: KernelEvent) -> [Listener] { ofKernel[event.rawValue] }

    /// The slots that get this event of a plugin.
    func slots(_ id: String) -> [Listener] { ofPlugins.isEmpty ? ofAll : ofAll + (ofPlugins[id] ?? []) }
}
