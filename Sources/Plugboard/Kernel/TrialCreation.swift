import CurlTransport
import JSON
import PlugboardKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Creates plugins as a start would, and destroys them again: what is wrong with their settings, only they know.
///
/// `create` is the one place where a plugin judges its settings, so a check that calls it cannot differ from a start. Nothing is started, no
/// request is sent, and what plugins write goes to a folder that is removed.
enum TrialCreation {
    /// What the plugins refuse, at the places of their settings. Blocks.
    static func faults(of plugins: [EnabledPlugin], _ configuration: Configuration) -> [ConfigurationFault] {
        guard !plugins.isEmpty else { return [] }
        var reading = ConfigurationReading(source: configuration.source)
        var settings = configuration.kernel
        settings.hookLimit = nil
        settings.measuresHooks = false
        let folder = DataDirectory(settings).path(of: "") == nil ? nil : TemporaryFolder()
        if let folder { settings.dataDirectory = folder.path }
        do throws(PlugboardError) {
            let loop = try EventLoop(name: "plugboard-check")
            let core = KernelCore(
                settings: settings, origins: [:], lineup: Lineup(plugins: plugins, absent: [], warnings: []),
                log: .silent, loop: loop, transport: NoTransport(),
                crashNote: CrashNotes(configuration).note(running: plugins))
            let startup = Startup(core: core)
            var places: [Place] = []
            for refusal in startup.create(&places) {
                reading.note(
                    refusal.plugin.place.appending("settings"),
                    "are refused by \(refusal.plugin.id): \(clause(refusal.text))",
                    code: .pluginStart)
            }
            loop.enqueue { core.cancelAll(PlugboardError(.shutDown, "The plugins are only checked.")) }
            core.timers.stopAll()
            loop.stop()
            startup.destroy(places)
            core.endContainment()
        } catch {
            reading.note([], "cannot be checked: \(error.reason)", code: error.code)
        }
        withExtendedLifetime(folder) {}
        return reading.faults
    }

    /// Faults end without a full stop.
    private static func clause(_ sentence: String) -> String {
        sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
    }
}

/// Refuses all attempts.
private final class NoTransport: Transport {
    private final class Nothing: Attempt {
        func cancel() {}
        func suspend() {}
        func resume() {}
    }

    func perform(_ attempt: AttemptRequest, observer: any AttemptObserver, loop: any Loop) -> any Attempt {
        loop.enqueue {
            observer.attemptEnded(PlugboardError(.cancelled, "The plugins are only checked."), Timings())
        }
        return Nothing()
    }

    func forget() {}
    func shutDown() {}
}

/// A folder that goes with its last reference, with all that is in it.
private final class TemporaryFolder {
    let path: String

    /// Nil where it cannot be made.
    init?() {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/plugboard-check-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { return nil }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { TemporaryFolder.remove(path) }

    private static func remove(_ path: String) {
        if let directory = opendir(path) {
            while let entry = readdir(directory) {
                let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
                guard name != ".", name != ".." else { continue }
                let isFolder = entry.pointee.d_type == UInt8(DT_DIR)
                if isFolder { remove("\(path)/\(name)") } else { unlink("\(path)/\(name)") }
            }
            closedir(directory)
        }
        rmdir(path)
    }
}
