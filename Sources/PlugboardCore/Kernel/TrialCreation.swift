import PlugboardBorder
import PlugboardEventLoop
import PlugboardJSON
import PlugboardSystem
import PlugboardTransport

/// Creates plugins as a start would, and destroys them again: only a plugin can judge whether its settings and
/// attributes fit together.
///
/// A plugin judges its settings in `create` and an origin's section in `check`. A check that calls both cannot differ
/// from a start. Nothing is started, no request is sent, and what plugins write goes to a folder that is removed.
enum TrialCreation {
    /// The refusals of the plugins, with the paths of the refused settings and sections. The plugins are not asked
    /// about sections with errors. Blocks.
    static func errors(
        of plugins: [EnabledPlugin], _ configuration: Configuration, beside known: [ConfigurationError]
    ) -> [ConfigurationError] {
        guard !plugins.isEmpty else { return [] }
        var settings = configuration.kernel
        settings.hookTimeLimit = nil
        settings.measureHooks = false
        let data = DataDirectory(settings)
        var folder: ScratchFolder?
        var errors: [ConfigurationError]
        do throws(PlugboardError) {
            if data.path(of: "") != nil {
                guard let own = ScratchFolder("plugboard-check-") else {
                    throw PlugboardError(
                        .configuration,
                        "no temporary folder can be made in \(ScratchFolder.parent) (\(systemText(errno))). "
                            + "Set TMPDIR to a folder that this process can write to")
                }
                settings.dataDirectory = own.path
                folder = own
            }
            var trial = configuration
            trial.kernel = settings
            let loop = try EventLoop(name: "plugboard-check")
            let core = KernelCore(
                settings: settings, origins: soundOrigins(of: plugins, configuration, beside: known),
                resolved: ResolvedPlugins(plugins: plugins, absent: [], warnings: []),
                log: .silent, loops: [KernelLoop.Parts(loop: loop, transport: NoTransport())],
                crashNote: CrashNote(running: plugins, trial), startingData: data,
                configurationFolder: configuration.folder)
            let startup = Startup(core: core)
            var slots: [Slot] = []
            errors = startup.create(&slots).map { $0.error(in: configuration) }
            // The check gave the plugins a temporary folder; a start gives them the folder that is checked here.
            for slot in slots where slot.host.hasAskedForDataDirectory {
                guard let error = data.error(of: slot.id) else { continue }
                let reason =
                    "cannot be given its data directory: \(error.hasSuffix(".") ? String(error.dropLast()) : error)"
                errors.append(
                    ConfigurationError(
                        plugins[slot.index].location, reason, in: configuration.source, code: .pluginStart))
            }
            loop.enqueue { core.first.cancelAll(PlugboardError(.shutDown, "The plugins are only checked.")) }
            core.first.timers.stopAll()
            loop.stop()
            startup.destroy(slots)
            core.endContainment()
        } catch {
            errors = [
                ConfigurationError(
                    [], "cannot be checked: \(error.reason)", in: configuration.source, code: error.code)
            ]
        }
        withExtendedLifetime(folder) {}
        return Array(errors.prefix(ConfigurationReading.errorLimit))
    }

    /// The attributes of origins, without the sections in which a value does not fit the plugin's table.
    private static func soundOrigins(
        of plugins: [EnabledPlugin], _ configuration: Configuration, beside known: [ConfigurationError]
    ) -> [Origin: [String: String]] {
        var origins = configuration.origins.mapValues(\.values)
        for origin in configuration.origins.keys {
            for plugin in plugins {
                let slot = configuration.location(of: origin).appending(.key(plugin.id)).description
                guard known.contains(where: { $0.path == slot || $0.path.hasPrefix(slot + ".") }) else { continue }
                for attribute in plugin.descriptor.attributes {
                    origins[origin]?["\(plugin.id).\(attribute.name)"] = nil
                }
            }
        }
        return origins
    }
}

/// Refuses all attempts.
private final class NoTransport: Transport {
    private final class Nothing: Attempt {
        func cancel() {}
        func suspend() {}
        func resume() {}
    }

    func perform(_ attempt: AttemptRequest, observer: any AttemptObserver, loop: EventLoop) -> any Attempt {
        loop.enqueue {
            observer.attemptEnded(PlugboardError(.cancelled, "The plugins are only checked."), Timings())
        }
        return Nothing()
    }

    func forget() {}
    func shutDown() {}
}
