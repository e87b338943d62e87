import PlugboardJSON
import PlugboardKit

extension PluginCommands {
    /// The commands of the plugin `cache`: `try await kernel.cache.purge(.url("https://example.com/feed"))`.
    public var cache: CacheCommands { CacheCommands(commands: self) }
}

/// The commands of the plugin `cache`, linked or loaded. Called from any task.
///
/// All throw `command.unknown` if the plugin is not enabled.
public struct CacheCommands: Sendable {
    let commands: any PluginCommands

    /// The numbers of stored responses and bytes, and how the cache took part in requests so far.
    public func stats() async throws(PlugboardError) -> CacheStatistics {
        CacheStatistics(try await commands.json("cache", "stats"))
    }

    /// Stored responses in no order, without their bodies and fields.
    public func list(
        _ which: CacheSelection = .all, limit: Int = 100
    ) async throws(PlugboardError) -> [CachedResponse] {
        var arguments = which.arguments
        arguments["limit"] = .number(JSONNumber(limit))
        return try await commands.json("cache", "list", arguments)["responses"]?.arrayValue?.map { CachedResponse($0) }
            ?? []
    }

    /// All stored responses of a URL with their fields; the values of secret fields are redacted.
    public func show(_ url: String) async throws(PlugboardError) -> [CachedResponse] {
        let reply = try await commands.json("cache", "show", ["url": .string(url)])
        return reply["responses"]?.arrayValue?.map { CachedResponse($0) } ?? []
    }

    /// Removes stored responses, and returns their number. `.memory` removes only copies in memory of responses in the
    /// file.
    @discardableResult
    public func purge(_ which: CacheSelection) async throws(PlugboardError) -> Int {
        Int(clamping: try await commands.json("cache", "purge", which.arguments)["removed"]?.intValue ?? 0)
    }

    /// Removes all stored responses.
    public func forget() async throws(PlugboardError) { _ = try await commands.json("cache", "forget") }

    /// The stored response that a request selects, fresh or not, with its body; nil if there is none. Sends nothing.
    ///
    /// Selected as in RFC 9111 §4, by key and `Vary`. The request is used unchanged, without the edits of plugins, and
    /// its body is ignored, so responses to searches by POST are not found.
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
}

/// A selection of stored responses.
public enum CacheSelection: Sendable, Equatable {
    /// All stored responses.
    case all
    /// The copies in memory of responses that are in the file too.
    case memory
    /// The responses of one URL.
    case url(String)
    /// The responses of all URLs that match a pattern: `*` for any text, `?` for one byte.
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
