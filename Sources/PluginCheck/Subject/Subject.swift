import CPlugboard
import PlugboardCore
import PlugboardJSON
import PlugboardKit
import PlugboardSystem
import PluginLoader

/// The plugin under check.
struct Subject: Sendable {
    let path: String
    /// The settings given as text; they replace those of `configured`.
    let settings: [String: String]
    /// The settings of a configuration.
    var configured = JSONObject()
    var sample: SampleResponse?
    var request: SampleRequest?
    /// Arguments of commands, as JSON.
    var commands: [String: String] = [:]
    /// The files of plugins that provide services to this one.
    var companions: [String] = []
    /// How many times faster than real time the clock runs.
    var clockSpeed = 100
    let seed: UInt64
    /// The folder of this check.
    let scratch: String

    /// The beginning of the reason of checks that tried nothing because the loader refuses the descriptor.
    static let refusal = "the loader refuses it: "

    /// The descriptor that the loader returns for the file; the check is untried if the loader refuses the file.
    func descriptor() throws(CheckEnd) -> PluginDescriptor {
        do throws(PlugboardError) {
            return try DynamicLoader.dynamic.load(path, sha256: nil)
        } catch {
            throw .untried("\(Subject.refusal)\(error.code)")
        }
    }

    /// The plugin's descriptor, even if it is not valid.
    func rawDescriptor() throws(CheckEnd) -> UnsafePointer<plug_plugin_v1> {
        do throws(PlugboardError) {
            return try DynamicLoader.dynamic.load(path, sha256: nil).raw
        } catch {
            guard [.loadingMetadata, .loadingDescriptor].contains(error.code) else {
                throw .untried("\(Subject.refusal)\(error.code)")
            }
        }
        typealias Entry = @convention(c) () -> UnsafePointer<plug_plugin_v1>?
        let file = try inspected()
        guard let handle = dlopen(file.path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE),
            let address = dlsym(handle, file.entry), let raw = unsafeBitCast(address, to: Entry.self)()
        else { throw .failed("its entry function returned no descriptor") }
        return raw
    }

    /// The contents of the file that can be read without running it.
    func inspected() throws(CheckEnd) -> PluginFile {
        do throws(PlugboardError) {
            return try DynamicLoader.dynamic.inspect(path)
        } catch {
            throw .failed(error.reason)
        }
    }

    /// The settings in the types that the plugin's table names. A value of another type stays text, and the kernel
    /// reports it. The check is untried if a required setting or a needed service is missing.
    func settings(_ descriptor: PluginDescriptor) throws(CheckEnd) -> JSONObject {
        try checkServices(of: descriptor)
        for option in descriptor.settings
        where option.isRequired && settings[option.name] == nil && configured[option.name] == nil {
            throw .untried("it needs the setting \(option.name): give it with --set \(option.name)=VALUE")
        }
        var values = configured
        for (name, text) in settings.sorted(by: { $0.key < $1.key }) {
            let kind = descriptor.settings.first { $0.name == name }?.kind
            let isJSON = [.bool, .integer, .list, .map].contains(kind)
            values[name] = (isJSON ? try? JSONParser.parse(text) : nil) ?? .string(text)
        }
        return values
    }

    private func checkServices(of descriptor: PluginDescriptor) throws(CheckEnd) {
        let needed = descriptor.needs.filter { !$0.hasSuffix("?") }
        if needed.isEmpty { return }
        let provided = Set(companions.flatMap { (try? DynamicLoader.dynamic.load($0, sha256: nil).provides) ?? [] })
        guard let missing = needed.first(where: { !provided.contains($0) }) else { return }
        throw .untried("it needs the service \(missing): give the plugin that provides it with --with FILE")
    }

    /// The exchanges that most checks run.
    var usual: [Plan] { Traffic.usual + samples }

    /// The exchanges of the author's own response and request.
    var samples: [Plan] {
        (sample.map(Traffic.responses) ?? []) + (request.map { Traffic.exchanges(of: $0, sample) } ?? [])
    }

    /// A remark for exchanges with an unexpected end, because a deadline of the plugin may be the cause.
    var clockRemark: String {
        guard clockSpeed > 1, Wiretap.state.withLock({ $0.deadlineCount > 0 }) else { return "" }
        return " (a timer or a deadline of the plugin may have passed: the clock of the checks runs \(clockSpeed) "
            + "times faster than real time; --clock-speed 1 lets it run as fast as real time)"
    }
}
