import CPlugboard
import PlugboardBorder
import PlugboardEventLoop
import Synchronization

/// The kernel as one plugin sees it: the table of functions, and what the kernel keeps for this plugin.
///
/// Sendable because the table never changes once it is made, and the rest is under a lock.
final class HostContext: @unchecked Sendable {
    /// Nil when the kernel is gone: a plugin's own threads that still call the host get `PLUG_STALE`.
    weak let core: KernelCore?
    /// The clock of the kernel's loops; nil for the system's. Kept here, because loading the weak reference for each
    /// time that a plugin asks for would take longer than the rest.
    private let clock: ManualClock?
    /// The addresses of the kernel's loops, for the same reason; they can be stale.
    private let loops: [UnsafeRawPointer]
    let id: String
    let idWithDot: String
    /// The plugin's slot in the pipeline.
    let index: Int
    let table: UnsafeMutablePointer<plug_host_v1>
    /// The arguments of the commands that run.
    let arguments = Registry<ValuesNode>()
    /// The ids of services that the plugin needs or uses.
    private let needs: Set<String>
    private let state = Mutex(State())

    private struct State {
        var refusal: String?
        var dataDirectory: DataDirectory.Folder?
    }

    init(_ descriptor: PluginDescriptor, index: Int, isQuiet: Bool, core: KernelCore) {
        self.index = index
        id = descriptor.id
        idWithDot = id + "."
        needs = Set(descriptor.needs.map(PluginDescriptor.id(inOrder:)))
        table = .allocate(capacity: 1)
        table.initialize(to: HostTable.functions)
        table.pointee.plugin = descriptor.raw
        table.pointee.flags = isQuiet ? PLUG_HOST_QUIET : 0
        self.core = core
        clock = core.first.loop.clock
        loops = core.loops.map { UnsafeRawPointer(Unmanaged.passUnretained($0.loop).toOpaque()) }
        table.pointee.version = keptText(Kernel.version)
        // Never released: a thread of the plugin's may still call the host when the kernel is gone.
        table.pointee.kernel = Unmanaged.passRetained(self).toOpaque()
    }

    /// Also nil until all plugins are created, because most of the host's functions work only from `start` on. [any]
    var startedCore: KernelCore? { core.flatMap { $0.isStarted.load(ordering: .acquiring) ? $0 : nil } }

    /// What the host's functions return while there is no `startedCore`.
    var codeOfAbsence: plug_result { core == nil ? PLUG_STALE : PLUG_WRONG_TIME }

    /// The context of a table; nil for NULL.
    @inline(__always)
    static func from(_ host: UnsafePointer<plug_host_v1>?) -> HostContext? {
        host.map { Unmanaged<HostContext>.fromOpaque($0.pointee.kernel).takeUnretainedValue() }
    }

    /// Calls a function with the kernel of a table, without counting a reference to the context, which is never
    /// released; nil for NULL, and when the kernel is gone.
    @inline(__always)
    static func withCore<Result>(
        _ host: UnsafePointer<plug_host_v1>?, _ use: (KernelCore) -> Result
    ) -> Result? {
        guard let host else { return nil }
        return Unmanaged<HostContext>.fromOpaque(host.pointee.kernel)._withUnsafeGuaranteedRef { context in
            guard let core = context.core else { return nil }
            defer { withExtendedLifetime(core) {} }
            return Unmanaged.passUnretained(core)._withUnsafeGuaranteedRef(use)
        }
    }

    /// The clock of the kernel of a table; nil for the system's.
    @inline(__always)
    static func clock(of host: UnsafePointer<plug_host_v1>?) -> ManualClock? {
        host.flatMap { Unmanaged<HostContext>.fromOpaque($0.pointee.kernel)._withUnsafeGuaranteedRef { $0.clock } }
    }

    /// The time of the kernel of a table, without counting a reference to its clock.
    @inline(__always)
    static func time(of host: UnsafePointer<plug_host_v1>?) -> Int64 {
        guard let host else { return EventLoop.time(nil) }
        return Unmanaged<HostContext>.fromOpaque(host.pointee.kernel)._withUnsafeGuaranteedRef {
            EventLoop.time($0.clock)
        }
    }

    /// The number of the ABI for the loop on which this is called; 0 on other threads.
    static func currentLoop(of host: UnsafePointer<plug_host_v1>?) -> plug_loop {
        guard let host, let running = EventLoop.running else { return 0 }
        return Unmanaged<HostContext>.fromOpaque(host.pointee.kernel)._withUnsafeGuaranteedRef { context in
            context.loops.firstIndex(of: running).map { plug_loop($0 + 1) } ?? 0
        }
    }

    /// Calls a function that the plugin handed in. [any]
    func call(_ hook: CalledHook, _ function: () -> Void) {
        guard let core else { return function() }
        core.call(index, hook, function)
    }

    /// `refuse`: why the plugin cannot be created or started.
    var refusal: String? {
        get { state.withLock { $0.refusal } }
        set { state.withLock { $0.refusal = newValue } }
    }

    /// `refusal` as the end of a sentence.
    var refusalText: String {
        guard let refusal, !refusal.isEmpty else { return "it gave no reason." }
        return refusal.last.map { ".!?…".contains($0) } == true ? refusal : refusal + "."
    }

    /// `data_directory`: made at the first call. The text is kept, because the header promises it as long as the host
    /// lives.
    func dataDirectory() -> plug_text {
        state.withLock { state in
            if state.dataDirectory == nil { state.dataDirectory = core?.makeDataDirectory(id) }
            guard case .made(let path)? = state.dataDirectory else { return plug_text() }
            return keptText(path)
        }
    }

    /// `data_path`.
    func dataPath() -> plug_text { core?.startingData.path(of: id).map { keptText($0) } ?? plug_text() }

    /// `configuration_directory`.
    func configurationDirectory() -> plug_text? { core?.configurationFolder.map { keptText($0) } }

    /// `service`: a service of another plugin, which is started.
    func service(_ id: String) -> UnsafeRawPointer? {
        needs.contains(id) ? core?.services.withLock { $0[id]?.table } : nil
    }

    /// Why the data directory that the plugin asked for must not be used; nil if there is no such reason.
    var dataDirectoryError: String? {
        state.withLock { if case .refused(let reason)? = $0.dataDirectory { reason } else { nil } }
    }

    var hasAskedForDataDirectory: Bool { state.withLock { $0.dataDirectory != nil } }

    private let kept = Mutex<[String: plug_text]>([:])

    /// A copy of a text that lives as long as the host.
    func keptText(_ text: String) -> plug_text {
        kept.withLock { kept in
            if let known = kept[text] { return known }
            let made = plug_text(immortal: text)
            kept[text] = made
            return made
        }
    }
}
