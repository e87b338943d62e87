import CPlugboard
import PlugboardCore
import PlugboardKit
import PlugboardSystem
import Synchronization

/// Sits between the plugin under check and the kernel, and sees each call of the C table in both directions.
///
/// The kernel gets a copy of the plugin's descriptor with the functions of the tap; the plugin gets a copy of the
/// kernel's host in which the watched functions are those of the tap. A C function pointer carries no context, so the
/// state is static: there is one plugin per process.
enum Wiretap {
    /// The treatment of the plugin's waits.
    enum Waits: Sendable {
        case faithfully
        /// Each deadline passes at once, so that the plugin's own wake comes too late.
        case pastDeadline
        /// Each ticket is woken twice.
        case wokenTwice
    }

    /// A pull, by its kernel and its number: each kernel numbers its own pulls, and a check may use several kernels.
    struct CompletedPull: Hashable {
        /// The address of the tap's host, which is different for each kernel.
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
        /// How many deadlines of its waits have passed, and how many timers it has started.
        var deadlineCount = 0
        /// Pulls that were completed; nil if they are not recorded.
        var completedPulls: Set<CompletedPull>? = []
        var askedExtensions: Set<String> = []
        var slowest: [Hook: Duration] = [:]
        var slowCalls: [Hook: Int] = [:]
        /// The rules that the plugin broke, each once.
        var faults: [String] = []
        var coverage = Coverage()
        var creatingThread: pthread_t?
        var loopThread: pthread_t?
    }

    static let state = Mutex(State())

    // Each is set once, before the kernel's first call, while there is no other thread.
    nonisolated(unsafe) static var plugin = plug_plugin_v1()
    /// The plugin's own descriptor, of which `plugin` is a copy.
    nonisolated(unsafe) static var descriptor: UnsafePointer<plug_plugin_v1>?
    nonisolated(unsafe) static var kernel = plug_host_v1()
    nonisolated(unsafe) static var marker: HookMarker?
    nonisolated(unsafe) private static var installed: UnsafePointer<plug_plugin_v1>?

    /// A call that takes longer counts as slow.
    static let patience: Duration = .milliseconds(20)

    /// The descriptor for the kernel. It is never freed, like every descriptor.
    static func install(_ descriptor: PluginDescriptor) -> UnsafePointer<plug_plugin_v1> {
        if let installed { return installed }
        Wiretap.descriptor = descriptor.raw
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
