import JSON
import PlugboardKit

extension PluginCommands {
    /// What the plugin `cache` can be asked to do: `try await kernel.cache.purge(.url("https://example.com/feed"))`.
    public var cache: CacheCommands { CacheCommands(commands: self) }
}

/// The commands of the plugin `cache`, for one that is loaded too. From any task.
///
/// All throw `command.unknown` where the plugin is not switched on.
public struct CacheCommands: Sendable {
    let commands: any PluginCommands

    /// What is stored, and what became of the requests so far.
    public func stats() async throws(PlugboardError) -> CacheStatistics {
        CacheStatistics(try await ask("stats", [:]))
    }

    /// Stored answers, in no order, without their bodies and fields.
    public func list(
        _ which: CacheSelection = .all, limit: Int = 100
    ) async throws(PlugboardError) -> [CachedResponse] {
        var arguments = which.arguments
        arguments["limit"] = .number(JSONNumber(limit))
        return try await ask("list", arguments)["answers"]?.arrayValue?.map { CachedResponse($0) } ?? []
    }

    /// All stored answers of a URL with their fields, secret ones redacted.
    public func show(_ url: String) async throws(PlugboardError) -> [CachedResponse] {
        try await ask("show", ["url": .string(url)])["answers"]?.arrayValue?.map { CachedResponse($0) } ?? []
    }

    /// Drops stored answers, and says how many went. `.memory` drops copies in memory only where a file lies behind.
    @discardableResult
    public func purge(_ which: CacheSelection) async throws(PlugboardError) -> Int {
        Int(clamping: try await ask("purge", which.arguments)["removed"]?.intValue ?? 0)
    }

    /// Drops all that is remembered.
    public func forget() async throws(PlugboardError) { _ = try await ask("forget", [:]) }

    /// The stored answer that fits a request, fresh or not, with its body; nil if there is none. Nothing is sent.
    ///
    /// Fits means as the standard selects it (RFC 9111 §4): by key and `Vary`. The request is taken as it is, without what
    /// plugins would add to it, and its body is not looked at, so that answers to searches by POST are not found. The answer's body is read
    /// like any other.
    public func cachedResponse(for request: Request) async throws(PlugboardError) -> Response? {
        var arguments: JSONObject = ["url": .string(request.url), "method": .string(request.method.name)]
        arguments["fields"] = .array(request.fields.map { .array([.string($0.name), .string($0.value)]) })
        var attributes = JSONObject()
        for (name, value) in request.attributes.values { attributes[name] = .string(value) }
        arguments["attributes"] = .object(attributes)
        switch try await commands.command("cache", "response", JSONWriter.write(.object(arguments))) {
        case .json: return nil
        case .body(let body): return try await StoredMessage.read(body, url: request.url)
        }
    }

    private func ask(_ name: String, _ arguments: JSONObject) async throws(PlugboardError) -> JSONValue {
        let answer = try await commands.command("cache", name, JSONWriter.write(.object(arguments)))
        guard case .json(let text) = answer, let value = try? JSONParser.parse(text) else {
            throw PlugboardError(.cacheCommand, "The plugin cache answered its command \(name) with no JSON.")
        }
        return value
    }
}

/// Which stored answers are meant.
public enum CacheSelection: Sendable, Equatable {
    case all
    /// What is in memory beside the file.
    case memory
    case url(String)
    /// URLs that a pattern fits: `*` for any text, `?` for one character.
    case pattern(String)

    var arguments: JSONObject {
        switch self {
        case .all: ["what": "all"]
        case .memory: ["what": "memory"]
        case .url(let url): ["url": .string(url)]
        case .pattern(let pattern): ["pattern": .string(pattern)]
        }
    }
}
