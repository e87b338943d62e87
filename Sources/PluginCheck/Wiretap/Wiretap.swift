import CPlugboard
import Glibc
import PlugboardCore
import PlugboardKit
import Synchronization

/// Stands between the plugin under check and the kernel, and sees each call of the C table in both directions.
///
/// The kernel gets a descriptor that says the same as the plugin's, with functions of the tap's; the plugin gets a host
/// that is the kernel's, but for the functions that the tap wants to see. There is one plugin a process, so what C
/// functions cannot carry along stands here.
enum Wiretap {
    /// How the plugin's waits are treated.
    enum Waits: Sendable {
        case faithfully
        /// Each deadline comes at once, so that the plugin's own wake comes too late.
        case pastDeadline
        /// Each wake finds that somebody else was first.
        case wokenTwice
    }

    /// Numbers of pulls are a kernel's own, and a check may have one kernel after the other.
    struct CompletedPull: Hashable {
        /// The address of the tap's own host, which no other kernel gets.
        let host: UInt
        let pull: plug_pull
    }

    struct State {
        var waits = Waits.faithfully
        /// Called on the loop, within the hook that waits.
        var whenWaiting: (@Sendable () -> Void)?
        var isTiming = false
        /// Bodies that the plugin owns.
        var bodies = 0
        var waitCount = 0
        /// Pulls that were answered; nil where nobody wants to know.
        var completedPulls: Set<CompletedPull>? = []
        var askedExtensions: Set<String> = []
        var slowest: [Hook: Duration] = [:]
        var slowCalls: [Hook: Int] = [:]
        /// What the plugin did against the rules, each once.
        var faults: [String] = []
        var coverage = Coverage()
        var creatingThread: pthread_t?
        var loopThread: pthread_t?
    }

    static let state = Mutex(State())

    // Set once each, before the kernel's first call and while there is no other thread.
    nonisolated(unsafe) static var plugin = plug_plugin_v1()
    nonisolated(unsafe) static var kernel = plug_host_v1()
    nonisolated(unsafe) static var marker: HookMarker?
    nonisolated(unsafe) private static var installed: UnsafePointer<plug_plugin_v1>?

    /// A call that takes longer is slow.
    static let patience: Duration = .milliseconds(20)

    /// The descriptor for the kernel. It stays for ever, as descriptors do.
    static func install(_ descriptor: PluginDescriptor) -> UnsafePointer<plug_plugin_v1> {
        if let installed { return installed }
        plugin = descriptor.raw.pointee
        let table = UnsafeMutablePointer<plug_plugin_v1>.allocate(capacity: 1)
        table.initialize(to: tapped(plugin))
        installed = UnsafePointer(table)
        return UnsafePointer(table)
    }

    static var coverage: Coverage { state.withLock { $0.coverage } }

    static func note(_ fault: String) {
        state.withLock { state in
            if !state.faults.contains(fault) && state.faults.count < 5 { state.faults.append(fault) }
        }
    }
}
