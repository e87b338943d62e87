import Plugboard
import PlugboardJSON
import PlugboardRecorder
import PluginLoader
import TestSupport

/// A kernel that records, and its commands.
struct Recorders {
    let kernel: Kernel

    /// - Parameter others: Ids of bundled plugins beside it.
    init(
        _ linkage: Linkage, _ settings: JSONObject = [:], also others: [String] = [],
        transport: (any Transport)? = nil, measuresHooks: Bool = false, connectionsPerHost: Int = 64
    ) throws {
        var settings = settings
        if !settings.contains("persistence") { settings["persistence"] = "memory" }
        let path = linkage == .loaded ? try Products.library("plugboard-recorder") : nil
        let entries = [PluginEntry(id: "recorder", path: path, settings: settings)] + others.map { PluginEntry($0) }
        var configuration = Configuration(plugins: entries)
        configuration.kernel.measureHooks = measuresHooks
        configuration.kernel.connectionsPerHost = connectionsPerHost
        kernel = try Kernel(
            configuration: configuration, loader: .dynamic,
            transport: transport, log: .silent)
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
