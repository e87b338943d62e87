import Plugboard
import PlugboardEventLoop
import PlugboardJSON
import PlugboardRecorder
import TestSupport

/// A kernel that records, and its commands.
struct Recorders {
    let kernel: Kernel

    /// - Parameter others: Bundled plugins beside it.
    init(
        _ linkage: Linkage, _ settings: JSONObject = [:], also others: [PluginEntry] = [],
        transport: (any Transport)? = nil, clock: ManualClock? = nil, measuresHooks: Bool = false,
        connectionsPerHost: Int = 64
    ) throws {
        var settings = settings
        if !settings.contains("persistence") { settings["persistence"] = "memory" }
        kernel = try linkage.kernel(recorderPlugin(), transport, clock: clock, settings: settings, also: others) {
            $0.kernel.measureHooks = measuresHooks
            $0.kernel.connectionsPerHost = connectionsPerHost
        }
    }

    func text(_ command: String, _ arguments: JSONObject = [:]) async throws -> String {
        switch try await kernel.command("recorder", command, JSONWriter.write(.object(arguments))) {
        case .json(let text): text
        case .body(let body): try await body.text()
        }
    }

    /// The lines of the list, as JSON, from the newest one.
    func list(_ filter: JSONObject = [:]) async throws -> [JSONValue] {
        var arguments = filter
        arguments["json"] = true
        return try JSONParser.parse(try await text("list", arguments)).arrayValue ?? []
    }

    /// All entries of the HAR, from the oldest one.
    func entries() async throws -> [JSONValue] {
        try JSONParser.parse(try await text("har"))["log"]?["entries"]?.arrayValue ?? []
    }
}
