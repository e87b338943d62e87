import CPlugboard
import PlugboardBorder

/// The kernel's own events; plugins publish others under their ids.
public enum KernelEvent: Int, Sendable, CaseIterable {
    /// The exchange exists, and has not begun yet.
    case created
    /// The request begins on its way through the plugins.
    case started
    /// The program suspends the exchange: before and after.
    case willSuspend, suspended
    /// The program has resumed the exchange.
    case resumed
    /// The exchange is cancelled: before and after.
    case willCancel, cancelled
    /// One attempt on the network: its begin, with `attempt`, `reason` and the time that it has `waited` for a
    /// connection, and its end, with its times in nanoseconds and the `code` of its error. Each begin has one end.
    case attemptBegan, attemptEnded
    /// Milestones of an attempt: the host's address is known, the connection is open, TLS is ready, the request is
    /// sent, the first byte of the response was received.
    case resolved, connected, secured, sent, firstByte
    /// An interim response (1xx) has come; the event has its head.
    case interim
    /// The head of a response has come from the network, before `onResponse`; the event has it.
    case headReceived
    /// How many bytes were sent and received; at most ten times a second, and once at the end.
    case progress
    /// A plugin sends the request again: `by`, `after` in nanoseconds, and the number of the last `attempt`.
    case resendScheduled
    /// The exchange is about to complete, and has completed, with its `outcome` and the number of its `attempts`.
    /// `completed` comes exactly once.
    case willComplete, completed
    /// The plugin of this event was at fault in a hook.
    case pluginFaulted
    /// The plugin of this event is switched off after faults.
    case pluginDisabled
    /// The plugin of this event holds the loop for longer than `kernel.hookTimeLimit`.
    case pluginStalled
    /// A hook has returned, with `kernel.measureHooks`: `plugin`, `hook`, `visit`, `verdict`, `took` in nanoseconds,
    /// and `changed`, which names the parts of the heads that it changed. Only plugins get it; programs have traces.
    case hookReturned
    /// The network that the kernel's `NetworkSource` watches: once soon after the start, and then at each change. It
    /// comes only if a plugin lists it, or after `kernel.reachability()` of PlugboardReachability.
    case networkChanged
    /// The kernel is being shut down: it takes no more requests of the program, and waits for the exchanges under way,
    /// sub-requests among them. Once, before plugins stop.
    case closing

    /// The event's id.
    public var name: String {
        // Interpolation would have to find the name out by reflection, which takes long at the start of a program.
        switch self {
        case .created: "created"
        case .started: "started"
        case .willSuspend: "willSuspend"
        case .suspended: "suspended"
        case .resumed: "resumed"
        case .willCancel: "willCancel"
        case .cancelled: "cancelled"
        case .attemptBegan: "attemptBegan"
        case .attemptEnded: "attemptEnded"
        case .resolved: "resolved"
        case .connected: "connected"
        case .secured: "secured"
        case .sent: "sent"
        case .firstByte: "firstByte"
        case .interim: "interim"
        case .headReceived: "headReceived"
        case .progress: "progress"
        case .resendScheduled: "resendScheduled"
        case .willComplete: "willComplete"
        case .completed: "completed"
        case .pluginFaulted: "pluginFaulted"
        case .pluginDisabled: "pluginDisabled"
        case .pluginStalled: "pluginStalled"
        case .hookReturned: "hookReturned"
        case .networkChanged: "networkChanged"
        case .closing: "closing"
        }
    }

    /// Milestones and progress.
    static let close: [KernelEvent] = [.resolved, .connected, .secured, .sent, .firstByte, .progress]

    /// The id as C sees it, which is never released.
    var cName: plug_text { KernelEvent.cNames[rawValue].text }

    private static let cNames = allCases.map { ImmortalText($0.name) }

    /// Whether observers can get an event of this id: one of the kernel's, or a plugin's, which has a dot.
    package static func isPossible(_ id: String) -> Bool {
        KernelEvent(name: id).map { $0 != .hookReturned } ?? id.utf8.contains(0x2E)
    }

    /// The event of this id; nil for a plugin's own.
    public init?(name: String) {
        guard let event = KernelEvent.allCases.first(where: { $0.name == name }) else { return nil }
        self = event
    }
}
