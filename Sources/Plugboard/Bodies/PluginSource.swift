import CPlugboard
import PlugboardKit

/// A source that a plugin made, behind its C table.
///
/// Sendable because its plugin is called on the loop only, `release` included.
final class PluginSource: BodySource, @unchecked Sendable {
    private let table: plug_source_v1
    private let core: KernelCore
    private let index: Int
    private let place: Place?
    private var openPull: UInt64 = 0

    /// - Parameters:
    ///   - index: Of the plugin that made it.
    ///   - place: The same; nil while the kernel starts.
    init(_ table: plug_source_v1, of index: Int, _ place: Place?, core: KernelCore) {
        self.table = table
        self.index = index
        self.place = place
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
        if let place {
            core.calling(place, .pull) { function(table.context, openPull) }
        } else {
            core.calling(index, .pull) { function(table.context, openPull) }
        }
    }

    func rewind() -> Bool {
        guard let function = table.rewind else { return false }
        return core.calling(index, .rewind) { function(table.context) } == PLUG_OK
    }

    func release() {
        core.pulls.remove(openPull)
        // Not within the plugin's own answer to a pull, which may be what brought this about.
        guard let function = table.release else { return }
        core.loop.enqueue { [self] in core.calling(index, .release) { function(table.context) } }
    }
}
