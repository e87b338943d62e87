import CPlugboard
import PlugboardKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

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
    func run(_ places: inout [Place], _ configuration: Configuration) throws(PlugboardError) {
        let refusals = create(&places)
        if let error = PlugboardError(refusals, configuration) { throw error }
        core.install(places)
        for (started, place) in places.enumerated() {
            if let error = start(place) {
                let stuck = stop(Array(places[..<started]), until: clockTime(CLOCK_MONOTONIC) + 5_000_000_000)
                places.removeAll { place in stuck.contains { $0 === place } }
                throw error
            }
        }
    }

    /// Creates all plugins, and returns what they refuse: all of it, for several settings and sections of origins can
    /// be wrong at once.
    func create(_ places: inout [Place]) -> [Refusal] {
        var refusals: [Refusal] = []
        for (index, plugin) in core.lineup.plugins.enumerated() {
            switch create(plugin, at: index) {
            case .success(let place):
                places.append(place)
                // A plugin would do without, and its user would not know that others could change what it keeps.
                if let fault = place.host.dataDirectoryFault { refusals.append(Refusal(plugin: plugin, text: fault)) }
                refusals += checkSections(of: plugin, place)
            case .failure(let refusal): refusals.append(refusal)
            }
        }
        return refusals
    }

    /// What a plugin refuses of the configuration.
    struct Refusal: Error {
        let plugin: EnabledPlugin
        /// The origin whose section the plugin refuses; nil if the plugin cannot be created.
        var origin: Origin?
        /// A sentence of the plugin's.
        let text: String

        /// As a fault with its position in the configuration.
        func fault(in configuration: Configuration) -> ConfigurationFault {
            // Faults end without a full stop.
            let clause = text.hasSuffix(".") ? String(text.dropLast()) : text
            guard let origin else {
                return ConfigurationFault(
                    plugin.place.appending("settings"), "are refused by \(plugin.id): \(clause)",
                    in: configuration.source, code: .pluginStart)
            }
            return ConfigurationFault(
                configuration.place(of: origin).appending(.key(plugin.id)), "is refused by the plugin: \(clause)",
                in: configuration.source, atKey: true, code: .pluginStart)
        }

        func error(_ configuration: Configuration) -> PlugboardError {
            let reason =
                origin == nil
                ? "The plugin \(plugin.id) could not be created: \(text)" : "\(fault(in: configuration))"
            return PlugboardError(.pluginStart, reason, plugin: plugin.id)
        }
    }

    private func create(_ plugin: EnabledPlugin, at index: Int) -> Result<Place, Refusal> {
        let host = HostContext(plugin.descriptor, index: index, core: core)
        let settings = SettingsNode(plugin.values, plugin.descriptor.settings)
        let instance = withExtendedLifetime(settings) {
            core.calling(index, .create) { plugin.descriptor.raw.pointee.create?(host.table, settings.pointer) }
        }
        guard let instance else { return .failure(Refusal(plugin: plugin, text: host.refusalText)) }
        return .success(
            Place(
                index: index, descriptor: plugin.descriptor, instance: instance, host: host,
                onFault: plugin.onFault, faultLimit: plugin.faultLimit))
    }

    /// What the plugin refuses of what origins' sections say to it (PLUG_ATTRIBUTES).
    private func checkSections(of plugin: EnabledPlugin, _ place: Place) -> [Refusal] {
        guard !core.origins.isEmpty,
            let table = withText(PLUG_ATTRIBUTES, { place.plugin.pointee.extension?($0) }) ?? nil,
            let check = table.assumingMemoryBound(to: plug_attributes_v1.self).pointee.check
        else { return [] }
        let names = plugin.descriptor.attributes.map { "\(plugin.id).\($0.name)" }
        var refusals: [Refusal] = []
        for (origin, section) in core.origins.sorted(by: { $0.key.description < $1.key.description })
        where section["\(plugin.id).enabled"] != "false" {
            var attributes = Fields()
            for name in names { if let text = section[name] { attributes.append(FieldName(name), text) } }
            guard !attributes.isEmpty else { continue }
            place.host.refusal = nil
            let code = withCFields(attributes) { fields, count in
                core.calling(place.index, .check) { check(place.instance, fields, count) }
            }
            guard code != PLUG_OK else { continue }
            refusals.append(Refusal(plugin: plugin, origin: origin, text: place.host.refusalText))
        }
        place.host.refusal = nil
        return refusals
    }

    private func start(_ place: Place) -> PlugboardError? {
        guard let start = place.plugin.pointee.start,
            core.calling(place.index, .start, { start(place.instance) }) != PLUG_OK
        else { return nil }
        return PlugboardError(
            .pluginStart, "The plugin \(place.id) could not be started: \(place.host.refusalText)",
            plugin: place.id)
    }

    /// Stops the plugins, innermost first, and then waits for commands that have not returned. Off the loop; blocks, but not for longer
    /// than until the deadline, and `grace` for each plugin that has not returned by then.
    ///
    /// The time is shared: what the first plugin uses, the next ones no longer have.
    /// - Returns: The plugins whose code still runs; they must never be destroyed.
    func stop(_ places: [Place], until deadline: Int64) -> [Place] {
        var stuck = places.reversed().filter { place in
            guard let stop = place.plugin.pointee.stop else { return false }
            let rest = max(deadline - clockTime(CLOCK_MONOTONIC), 0)
            let hasReturned = Latch()
            let core = core
            BlockingThread.start {
                core.calling(place.index, .stop) { stop(place.instance, rest) }
                hasReturned.open()
            }
            let isStopped = hasReturned.wait(until: max(deadline, clockTime(CLOCK_MONOTONIC) + Startup.grace))
            if !isStopped {
                report(place, "`stop` of it has not returned. `stop` has to return within the time given.")
            }
            return !isStopped
        }
        let haveReturned = Latch()
        core.commandCalls.close { haveReturned.open() }
        guard !haveReturned.wait(until: deadline) else { return stuck }
        let busy = core.commandCalls.places
        for place in places where busy.contains(place.index) && !stuck.contains(where: { $0 === place }) {
            report(place, "a command of it has not returned. Commands have to return once `stop` was called.")
            stuck.append(place)
        }
        return stuck
    }

    /// What a plugin gets when the time is up, in nanoseconds.
    private static let grace: Int64 = 100_000_000

    private func report(_ place: Place, _ cause: String) {
        core.log.write(.error, place.id, "The plugin \(place.id) is left as it is and not destroyed: \(cause)")
    }

    func destroy(_ places: [Place]) {
        for place in places.reversed() {
            core.calling(place.index, .destroy) { place.plugin.pointee.destroy?(place.instance) }
        }
    }
}

extension PlugboardError {
    /// One error that says all refusals; nil for none.
    fileprivate init?(_ refusals: [Startup.Refusal], _ configuration: Configuration) {
        let errors = refusals.map { $0.error(configuration) }
        guard let first = errors.first else { return nil }
        self = first
        guard errors.count > 1 else { return }
        if errors.contains(where: { $0.plugin != first.plugin }) { plugin = nil }
        reason = "Plugins refuse \(errors.count) things:" + errors.map { "\n  \($0.reason)" }.joined()
    }
}
