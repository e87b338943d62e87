import CPlugboard
import PlugboardKit

/// Starting and stopping the plugins, in order and in reverse.
///
/// A start that fails undoes those before it, innermost first.
///
/// A class, because the compiler takes a struct's copy of the core, which plugins' hosts hold weakly, for its last owner.
final class Startup: Sendable {
    private let core: KernelCore

    init(core: KernelCore) { self.core = core }

    /// Creates all plugins, then starts them. Called once, by the thread that makes the kernel. After an error the caller
    /// stops the loop, and then destroys what was created.
    func run(_ places: inout [Place]) throws(PlugboardError) {
        for (index, plugin) in core.lineup.plugins.enumerated() {
            let place = try create(plugin, at: index)
            places.append(place)
            // A plugin would do without, and its user would not know that others could change what it keeps.
            if let fault = place.host.dataDirectoryFault {
                throw PlugboardError(
                    .pluginStart, "The plugin \(plugin.id) could not be created: \(fault)", plugin: plugin.id)
            }
        }
        core.install(places)
        for (started, place) in places.enumerated() {
            if let error = start(place) {
                stop(Array(places[..<started]), within: .seconds(5))
                throw error
            }
        }
    }

    private func create(_ plugin: EnabledPlugin, at index: Int) throws(PlugboardError) -> Place {
        let host = PluginHost(plugin.descriptor, index: index, core: core)
        let settings = SettingsNode(plugin.settings, plugin.descriptor.settings)
        let instance = withExtendedLifetime(settings) {
            core.calling(index, .create) { plugin.descriptor.raw.pointee.create?(host.table, settings.pointer) }
        }
        guard let instance else {
            throw PlugboardError(
                .pluginStart,
                "The plugin \(plugin.id) could not be created: \(host.refusalText)",
                plugin: plugin.id)
        }
        return Place(
            index: index, descriptor: plugin.descriptor, instance: instance, host: host,
            onFault: plugin.onFault, faultLimit: plugin.faultLimit)
    }

    private func start(_ place: Place) -> PlugboardError? {
        guard let start = place.plugin.pointee.start,
            core.calling(place.index, .start, { start(place.instance) }) != PLUG_OK
        else { return nil }
        return PlugboardError(
            .pluginStart, "The plugin \(place.id) could not be started: \(place.host.refusalText)",
            plugin: place.id)
    }

    /// Innermost first, off the loop; what one takes is not there for the next.
    func stop(_ places: [Place], within limit: Duration) {
        let clock = ContinuousClock()
        let deadline = clock.now + limit
        for place in places.reversed() {
            let rest = max(clock.now.duration(to: deadline).nanoseconds, 0)
            core.calling(place.index, .stop) { place.plugin.pointee.stop?(place.instance, rest) }
        }
    }

    /// A plugin is never destroyed beneath a command of its own: one that does not return keeps it as it is.
    func leavingOutBusy(_ places: [Place]) -> [Place] {
        let busy = core.commandCalls.places
        return places.filter { place in
            guard busy.contains(place.index) else { return true }
            core.log.write(
                .error, place.id,
                "The plugin \(place.id) is stopped and not destroyed: a command of it has not returned. Commands have to "
                    + "return once `stop` was called.")
            return false
        }
    }

    func destroy(_ places: [Place]) {
        for place in places.reversed() {
            core.calling(place.index, .destroy) { place.plugin.pointee.destroy?(place.instance) }
        }
    }
}
