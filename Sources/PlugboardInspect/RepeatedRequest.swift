import Plugboard
import PlugboardJSON
import PlugboardRecorder

/// A recorded request as one that can be sent.
enum RepeatedRequest {
    /// What stands in records in the place of a secret.
    private static let mark = "…"

    /// Fields that the transport or a plugin makes anew.
    private static let ownFields: Set<String> = [
        "host", "content-length", "connection", "keep-alive", "transfer-encoding", "accept-encoding", "te", "upgrade",
        "expect", "proxy-connection",
    ]

    /// Throws `recorder.argument` for a request whose URL or body is not recorded as it was.
    ///
    /// - Parameter recorded: A request of HAR.
    /// - Returns: The request, and the names of the fields that it lacks because they are secret.
    static func make(
        of recorded: JSONValue, id: Int
    ) throws(PlugboardError) -> (request: Request, missing: [String]) {
        guard let method = recorded["method"]?.stringValue, let url = recorded["url"]?.stringValue else {
            throw failure(id, "its method or its URL is not recorded")
        }
        if url.contains(mark) { throw failure(id, "its URL has secrets, which are not recorded") }
        guard url.hasPrefix("http://") || url.hasPrefix("https://") else {
            throw failure(id, "its URL is not one of http or https")
        }
        // By another route, its fields and its body could reach another server.
        if recorded["_route"] != nil {
            throw failure(id, "it took a proxy, a socket or other options of connections, which are not recorded")
        }
        let fields = (recorded["headers"]?.arrayValue ?? []).compactMap { field -> (name: String, value: String)? in
            guard let name = field["name"]?.stringValue, let value = field["value"]?.stringValue else { return nil }
            return name.hasPrefix(":") || ownFields.contains(name.lowercased()) ? nil : (name, value)
        }
        let body = try body(recorded, id)
        // A size of -1 says that bodies are not recorded, so there may have been one.
        if body == nil, recorded["bodySize"]?.intValue ?? 0 < 0, !Method(method).isSafe {
            throw failure(id, "its body is not recorded")
        }
        var request = Request(Method(method), url, body: body)
        for (name, value) in fields where !value.contains(mark) {
            request.fields.append(FieldName(name), value)
        }
        return (request, fields.filter { $0.value.contains(mark) }.map(\.name))
    }

    private static func body(_ recorded: JSONValue, _ id: Int) throws(PlugboardError) -> Body? {
        guard let data = recorded["postData"] else {
            guard recorded["bodySize"]?.intValue ?? 0 <= 0 else { throw failure(id, "its body is not recorded") }
            return nil
        }
        guard let text = data["text"]?.stringValue, data["_cut"] == nil else {
            throw failure(id, "its body is not recorded as a whole")
        }
        if text.contains(mark) { throw failure(id, "its body has secrets, which are not recorded") }
        guard data["_encoding"]?.stringValue == "base64" else { return .text(text) }
        guard let bytes = Base64.decode(text) else { throw failure(id, "its body is not valid Base64") }
        return .bytes(bytes)
    }

    private static func failure(_ id: Int, _ why: String) -> PlugboardError {
        PlugboardError(
            .recorderArgument,
            "Exchange \(id) cannot be sent again: \(why). Copy it as curl, and complete the command line.")
    }
}
