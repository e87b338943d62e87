import PlugboardJSON
import PlugboardKit

extension PluginCommands {
    /// The commands of the plugin `recorder`: `try await kernel.recorder.list()`.
    public var recorder: RecorderCommands { RecorderCommands(of: self) }
}

/// The commands of the plugin `recorder`. Called from any task.
///
/// All throw `command.unknown` if the plugin is not enabled, and a code that begins with `recorder.` if the plugin
/// refuses an argument or cannot use its file.
public struct RecorderCommands: Sendable {
    private let commands: any PluginCommands

    fileprivate init(of commands: any PluginCommands) { self.commands = commands }

    /// Recorded exchanges, the newest first. In memory, those under way for at least a second are among them.
    ///
    /// - Parameters:
    ///   - limit: The most that are returned.
    ///   - host: A host, or `.example.com` for all below it.
    ///   - status: `404`, `4xx` or `failed`.
    ///   - text: A text in the URL, the label, a field or a body.
    public func list(
        limit: Int = 50, method: Method? = nil, host: String? = nil, status: String? = nil, text: String? = nil,
        label: String? = nil
    ) async throws(PlugboardError) -> [RecordedExchange] {
        let arguments = [
            "method": method?.name, "host": host, "status": status, "text": text, "label": label,
            "limit": "\(limit)", "json": "true",
        ]
        let given = arguments.compactMap { name, value in value.map { (name, JSONValue.string($0)) } }
        let lines = try await commands.json("recorder", "list", JSONObject(given)).arrayValue ?? []
        return lines.compactMap { RecordedExchange($0) }
    }

    /// All exchanges, or one, as HAR 1.2.
    public func har(id: Int? = nil) async throws(PlugboardError) -> Body {
        switch try await commands.command("recorder", "har", id.map { #"{"id": "\#($0)"}"# } ?? "{}") {
        case .body(let body): return body
        case .json(let text): return .text(text)
        }
    }

    /// Removes all recorded exchanges.
    public func clear() async throws(PlugboardError) { _ = try await commands.command("recorder", "clear", "{}") }
}

/// A line of the recorder's list.
public struct RecordedExchange: Sendable, Equatable {
    /// Its number, by which it can be shown.
    public var id: Int
    /// The method.
    public var method: String
    /// The URL, without its secrets.
    public var url: String
    /// The status; nil without a response.
    public var status: Int?
    /// The code of the failure.
    public var failure: String?
    /// Whether it had not completed yet.
    public var isUnderWay: Bool
    /// How long it took, or has taken so far.
    public var took: Duration
    /// The attempts on the network.
    public var attempts: Int
    /// `recorder.label` of the request.
    public var label: String?

    init?(_ line: JSONValue) {
        guard let id = line["id"]?.intValue, let method = line["method"]?.stringValue,
            let url = line["url"]?.stringValue
        else { return nil }
        self.id = Int(id)
        self.method = method
        self.url = url
        status = line["status"]?.intValue.map { Int($0) }
        failure = line["failure"]?.stringValue
        isUnderWay = line["isUnderWay"] == true
        took = .microseconds(Int64(min(max((line["took"]?.numberValue?.double ?? 0) * 1000, 0), 1e15)))
        attempts = Int(line["attempts"]?.intValue ?? 0)
        label = line["label"]?.stringValue
    }
}
