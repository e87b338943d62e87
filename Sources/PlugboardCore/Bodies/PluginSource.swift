import CPlugboard
import PlugboardBorder

/// A source that a plugin made, behind its C table.
///
/// Sendable because its plugin is called on the loop only. `release` is the last call.
final class PluginSource: BodySource, @unchecked Sendable {
    private let table: plug_source_v1
    /// Keeps the loops.
    private let core: KernelCore
    /// Its node's loop.
    @exclusivity(unchecked) private var place: Unmanaged<KernelLoop>
    private let slot: Slot
    private var openPull: UInt64 = 0

    /// - Parameter slot: The slot of the plugin that made it.
    init(_ table: plug_source_v1, of slot: Slot, home: KernelLoop) {
        self.table = table
        self.slot = slot
        core = home.core
        place = Unmanaged.passUnretained(home)
    }

    /// Notes that its node moves to another loop. Called before the first pull.
    func move(to home: KernelLoop) { place = Unmanaged.passUnretained(home) }

    var length: Int? { table.length == UInt64.max ? nil : Int(clamping: table.length) }
    var canRewind: Bool { table.rewind != nil }

    func pull(_ pull: Pull) {
        guard let function = table.pull else {
            pull.fail(
                PlugboardError(
                    .pluginFault, "The plugin \(slot.id) made a body that cannot be pulled.", plugin: slot.id))
            return
        }
        place._withUnsafeGuaranteedRef { home in
            openPull = home.pulls.add(pull)
            home.containment.call(slot.index, .pull) { function(table.context, openPull) }
        }
    }

    /// The error for a body that is not as long as the plugin has said.
    func wrongLength(_ what: String) -> PlugboardError {
        PlugboardError(
            .pluginFault,
            "The plugin \(slot.id) made a body of \(length ?? 0) bytes, and \(what). Give exactly as many bytes as "
                + "the source's length says, or leave the length unknown.", plugin: slot.id)
    }

    /// Warns that the plugin has completed this many pulls in a row without a byte.
    func warn(ofEmpty count: UInt32) {
        core.log.write(
            .warning, slot.id,
            "The plugin \(slot.id) has completed \(count) pulls of a body in a row without a byte. Complete a pull when "
                + "there are bytes, or end the body.")
    }

    func rewind() -> Bool {
        guard let function = table.rewind else { return false }
        let home = place.takeUnretainedValue()
        return home.containment.call(slot.index, .rewind) { function(table.context) } == PLUG_OK
    }

    func release() {
        let home = place.takeUnretainedValue()
        home.pulls.remove(openPull)
        guard let function = table.release else { return }
        let call = { @Sendable [self] in
            home.containment.call(slot.index, .release) { function(table.context) }
        }
        // Called later, because this may run while the plugin completes a pull of this source.
        if !home.loop.enqueue(call) { call() }
    }
}
