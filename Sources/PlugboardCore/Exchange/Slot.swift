import CPlugboard
import PlugboardBorder
import Synchronization

/// One enabled plugin in its slot of the pipeline. Its hooks are in `HookTables`.
///
/// A class, so that a call copies no more than a pointer.
///
/// Sendable because what changes is under a lock, and `plugboard.h` says for which
/// threads the plugin's functions are.
final class Slot: @unchecked Sendable {
    /// 0 is outermost.
    let index: Int
    /// The set of this slot alone.
    let bit: SlotSet
    let id: String
    let hooks: Hooks
    /// Whether an exchange continues without the plugin after a fault.
    let isSkippedOnFault: Bool
    /// The number of faults in a row after which the plugin is switched off; nil if it never is.
    let faultLimit: Int?
    private let disabling = Mutex<PlugboardError?>(nil)
    let plugin: UnsafePointer<plug_plugin_v1>
    let instance: UnsafeMutableRawPointer
    let host: HostContext

    init(
        index: Int, descriptor: PluginDescriptor, instance: UnsafeMutableRawPointer, host: HostContext,
        onFault: PluginEntry.OnFault = .fail, faultLimit: Int = 0
    ) {
        self.index = index
        bit = SlotSet(index)
        id = descriptor.id
        hooks = descriptor.hooks
        plugin = descriptor.raw
        self.instance = instance
        self.host = host
        isSkippedOnFault = onFault != .fail
        self.faultLimit = onFault == .disable ? faultLimit : nil
    }

    /// Calls the plugin's command; it may block. [worker]
    func call(_ command: String, _ arguments: String, _ reply: plug_reply, _ core: KernelCore) {
        host.arguments.set(reply, to: ValuesNode(arguments: arguments))
        withText(command) { command in
            withText(arguments) { arguments in
                core.call(index, .command) { plugin.pointee.command?(instance, command, arguments, reply) }
            }
        }
        host.arguments.remove(reply)
    }

    /// Why the plugin was switched off, or nil. [any]
    var disabled: PlugboardError? {
        get { disabling.withLock { $0 } }
        set { disabling.withLock { $0 = newValue } }
    }
}
