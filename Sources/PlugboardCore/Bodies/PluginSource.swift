import CPlugboard
import PlugboardKit

/// A source that a plugin made, behind its C table.
///
/// Sendable because its plugin is called on the loop only. `release` is the last call.
final class PluginSource: BodySource, @unchecked Sendable {
    private let table: plug_source_v1
    private let core: KernelCore
    private let slot: Slot
    private var openPull: UInt64 = 0

    /// - Parameter slot: The slot of the plugin that made it.
    init(_ table: plug_source_v1, of slot: Slot, core: KernelCore) {
        self.table = table
        self.slot = slot
        self.core = core
    }

    var length: Int? { table.length == UInt64.max ? nil : Int(clamping: table.length) }
    var canRewind: Bool { table.rewind != nil }

    func pull(_ pull: Pull) {
        guard let function = table.pull else {
            pull.fail(PlugboardError(.pluginFault, "A plugin made a body that cannot be pulled."))
            return
        }
        openPull = core.pulls.add(pull)
        core.containment.call(slot.index, .pull) { function(table.context, openPull) }
    }

    func rewind() -> Bool {
        guard let function = table.rewind else { return false }
        return core.containment.call(slot.index, .rewind) { function(table.context) } == PLUG_OK
    }

    func release() {
        core.pulls.remove(openPull)
        guard let function = table.release else { return }
        let call = { @Sendable [self] in core.containment.call(slot.index, .release) { function(table.context) } }
        // Later: this may run while the plugin completes a pull of this very source.
        if !core.loop.enqueue(call) { call() }
    }
}
