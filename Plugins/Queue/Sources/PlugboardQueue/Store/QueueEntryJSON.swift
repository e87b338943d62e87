import PlugboardJSON
import PlugboardKit

/// A request as commands show it.
@_spi(QueueStores)
public enum QueueEntryJSON {
    /// The columns of a store, in the order in which `value` reads them.
    public static let columns = """
        id, state, category, tag, collapse, context, priority, method, url, length, created, due, completed, attempts,
        rejections, code, reason, status, fields, content, head
        """

    /// - Parameters:
    ///   - isWhole: Whether the fields and the response are shown too.
    ///   - text: The text of a column; nil for null. So are the others.
    public static func value(
        isWhole: Bool, text: (Int) -> String?, integer: (Int) -> Int64?, bytes: (Int) -> [UInt8]?
    ) -> JSONValue {
        func number(_ column: Int) -> JSONValue? { integer(column).map { .number(JSONNumber($0)) } }
        func string(_ column: Int) -> JSONValue? { text(column).map { .string($0) } }
        func time(_ column: Int) -> JSONValue? {
            integer(column).map { .string(HTTPDate(seconds: $0 / 1_000_000_000).description) }
        }
        var object: JSONObject = ["id": .string(text(0) ?? "")]
        let state = integer(1).flatMap { EntryState(rawValue: $0) } ?? .dead
        object["state"] = .string(state.name)
        object["method"] = string(7)
        object["url"] = .string(Printable.url(text(8) ?? ""))
        for (name, column) in [("category", 2), ("tag", 3), ("collapseKey", 4), ("context", 5)] {
            object[name] = string(column)
        }
        object["priority"] = number(6)
        if let length = integer(9), length >= 0 { object["bytes"] = number(9) }
        object["created"] = time(10)
        if state.name == "waiting" { object["due"] = time(11) }
        object["completed"] = time(12)
        object["attempts"] = number(13)
        object["rejections"] = number(14)
        for (name, column) in [("code", 15), ("reason", 16)] { object[name] = string(column) }
        object["status"] = number(17)
        guard isWhole else { return .object(object) }
        object["responseFields"] = text(18).flatMap { try? JSONParser.parse($0) }
        if let body = bytes(19) { object["responseBody"] = .string(Base64.encode(body)) }
        if let head = text(20).flatMap({ CapturedHead($0) }) { object["fields"] = head.shown }
        return .object(object)
    }
}
