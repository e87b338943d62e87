import CPlugboard
import PlugboardBorder
import PlugboardSystem

/// Starting and stopping the plugins, in order and in reverse.
///
/// A start that fails stops the plugins that were started before.
///
/// A class, because the compiler may release a struct's copy of the core early, and plugins' hosts hold the core
/// weakly.
final class Startup: Sendable {
    private let core: KernelCore

    init(core: KernelCore) { self.core = core }

    /// Creates all plugins, then starts them. Called once, by the thread that makes the kernel. After an error the
    /// caller stops the loop, and then destroys what was created.
    func run(_ slots: inout [Slot], _ configuration: Configuration) throws(PlugboardError) {
        let refusals = create(&slots)
        if let error = PlugboardError(refusals, configuration) { throw error }
        core.install(slots)
        var started: [Slot] = []
        for slot in inStartOrder(slots) {
            var error = start(slot)
            if error == nil {
                started.append(slot)
                error = takeServices(of: slot)
            }
            if let error {
                let stuck = stop(started, until: clockTime(CLOCK_MONOTONIC) + 5_000_000_000)
                slots.removeAll { slot in stuck.contains { $0 === slot } }
                throw error
            }
        }
    }

    /// The slots in the order of their start: plugins that provide services come before those that use them.
    private func inStartOrder(_ slots: [Slot]) -> [Slot] {
        core.resolved.services.startOrder.compactMap { index in slots.first { $0.index == index } }
    }

    /// Creates all plugins, and returns everything that they refuse: several settings and sections of origins can be
    /// wrong at once.
    func create(_ slots: inout [Slot]) -> [Refusal] {
        var refusals: [Refusal] = []
        for index in core.resolved.services.startOrder {
            let plugin = core.resolved.plugins[index]
            switch create(plugin, at: index) {
            case .success(let slot):
                slots.append(slot)
                // A plugin could continue without a data directory, and its user would not learn that other users can
                // write there.
                if let error = slot.host.dataDirectoryError { refusals.append(Refusal(plugin: plugin, text: error)) }
                refusals += checkSections(of: plugin, slot)
            case .failure(let refusal): refusals.append(refusal)
            }
        }
        slots.sort { $0.index < $1.index }
        return refusals
    }

    /// A part of the configuration that a plugin refuses.
    struct Refusal: Error {
        let plugin: EnabledPlugin
        /// The origin whose section the plugin refuses; nil if the plugin cannot be created.
        var origin: Origin?
        /// The reason that the plugin gives.
        let text: String

        /// The refusal as an error with its position in the configuration.
        func error(in configuration: Configuration) -> ConfigurationError {
            // Reasons of errors end without a full stop.
            let clause = text.hasSuffix(".") ? String(text.dropLast()) : text
            guard let origin else {
                return ConfigurationError(
                    plugin.location.appending("settings"), "are refused by \(plugin.id): \(clause)",
                    in: configuration.source, code: .pluginStart)
            }
            return ConfigurationError(
                configuration.location(of: origin).appending(.key(plugin.id)), "is refused by the plugin: \(clause)",
                in: configuration.source, atKey: true, code: .pluginStart)
        }

        func error(_ configuration: Configuration) -> PlugboardError {
            let reason =
                origin == nil
                ? "The plugin \(plugin.id) could not be created: \(text)" : "\(error(in: configuration))"
            return PlugboardError(.pluginStart, reason, plugin: plugin.id)
        }
    }

    private func create(_ plugin: EnabledPlugin, at index: Int) -> Result<Slot, Refusal> {
        let host = HostContext(plugin.descriptor, index: index, isQuiet: plugin.isQuiet, core: core)
        let settings = ValuesNode(plugin.values, of: plugin.descriptor.settings)
        let instance = withExtendedLifetime(settings) {
            core.call(index, .create) {
                plugin.descriptor.raw.pointee.create?(host.table, settings.pointer)
            }
        }
        guard let instance else { return .failure(Refusal(plugin: plugin, text: host.refusalText)) }
        return .success(
            Slot(
                index: index, descriptor: plugin.descriptor, instance: instance, host: host,
                onFault: plugin.onFault, faultLimit: plugin.faultLimit))
    }

    /// The sections of origins that the plugin refuses.
    private func checkSections(of plugin: EnabledPlugin, _ slot: Slot) -> [Refusal] {
        guard !core.origins.isEmpty, let check = slot.plugin.pointee.check else { return [] }
        let names = plugin.descriptor.attributes.map { "\(plugin.id).\($0.name)" }
        var refusals: [Refusal] = []
        for (origin, section) in core.origins.sorted(by: { $0.key.description < $1.key.description })
        where section["\(plugin.id).enabled"] != "false" {
            var attributes = Fields()
            for name in names { if let text = section[name] { attributes.append(FieldName(name), text) } }
            guard !attributes.isEmpty else { continue }
            slot.host.refusal = nil
            let code = withCFields(attributes) { fields, count in
                core.call(slot.index, .check) { check(slot.instance, fields, count) }
            }
            guard code != PLUG_OK else { continue }
            refusals.append(Refusal(plugin: plugin, origin: origin, text: slot.host.refusalText))
        }
        slot.host.refusal = nil
        return refusals
    }

    private func start(_ slot: Slot) -> PlugboardError? {
        guard let start = slot.plugin.pointee.start,
            core.call(slot.index, .start, { start(slot.instance) }) != PLUG_OK
        else { return nil }
        return PlugboardError(
            .pluginStart, "The plugin \(slot.id) could not be started: \(slot.host.refusalText)",
            plugin: slot.id)
    }

    /// Asks a plugin that is started for the services that it provides.
    private func takeServices(of slot: Slot) -> PlugboardError? {
        for id in core.resolved.plugins[slot.index].descriptor.provides {
            let table = withText(id) { id in
                core.call(slot.index, .service) { slot.plugin.pointee.service?(slot.instance, id) ?? nil }
            }
            guard let table else {
                return PlugboardError(
                    .pluginStart,
                    "The plugin \(slot.id) could not be started: it lists the service \(Printable.text(id)), and its "
                        + "service function returned NULL.", plugin: slot.id)
            }
            core.services.withLock { $0[id] = Service(table: table) }
        }
        return nil
    }

    /// Stops the plugins, the last started first, and then waits for commands that have not returned. Not called on the
    /// loop. Blocks until the deadline at most, and up to `grace` longer for each plugin that has not returned by then.
    ///
    /// The time is shared: what the first plugin uses, the next ones no longer have.
    /// - Returns: The plugins whose code still runs; they must never be destroyed.
    func stop(_ slots: [Slot], until deadline: Int64) -> [Slot] {
        var stuck = inStartOrder(slots).reversed().filter { slot in
            guard let stop = slot.plugin.pointee.stop else { return false }
            let rest = left(until: deadline).nanoseconds
            let hasReturned = Semaphore()
            let core = core
            BlockingThread.start {
                core.call(slot.index, .stop) { stop(slot.instance, rest) }
                hasReturned.signal()
            }
            let isStopped = hasReturned.wait(upTo: max(left(until: deadline), Startup.grace))
            if !isStopped {
                report(slot, "its `stop` has not returned: it has to return within the time given.")
            }
            return !isStopped
        }
        let haveReturned = Semaphore()
        core.commandCalls.close { haveReturned.signal() }
        guard !haveReturned.wait(upTo: left(until: deadline)) else { return stuck }
        let busy = core.commandCalls.slots
        for slot in slots where busy.contains(slot.index) && !stuck.contains(where: { $0 === slot }) {
            report(slot, "one of its commands has not returned: commands have to return once `stop` was called.")
            stuck.append(slot)
        }
        return stuck
    }

    /// The minimum time to wait for a plugin, even after the deadline.
    private static let grace: Duration = .milliseconds(100)

    /// The time until a time of the monotonic clock in nanoseconds; zero after it.
    private func left(until deadline: Int64) -> Duration { .nanoseconds(max(deadline - clockTime(CLOCK_MONOTONIC), 0)) }

    private func report(_ slot: Slot, _ cause: String) {
        core.log.write(.error, slot.id, "The plugin \(slot.id) is not destroyed: \(cause)")
    }

    func destroy(_ slots: [Slot]) {
        for slot in inStartOrder(slots).reversed() {
            core.call(slot.index, .destroy) { slot.plugin.pointee.destroy?(slot.instance) }
        }
    }
}

extension PlugboardError {
    /// One error that lists all refusals; nil if there are none.
    fileprivate init?(_ refusals: [Startup.Refusal], _ configuration: Configuration) {
        let errors = refusals.map { $0.error(configuration) }
        guard let first = errors.first else { return nil }
        self = first
        guard errors.count > 1 else { return }
        if errors.contains(where: { $0.plugin != first.plugin }) { plugin = nil }
        reason = "Plugins refuse \(errors.count) things:" + errors.map { "\n  \($0.reason)" }.joined()
    }
}
