import PlugboardJSON

/// What `plugboard attach` prints for people.
enum AttachedText {
    /// The text of a result; nil for one that is shown as JSON.
    ///
    /// - Parameter metrics: Asks the program for its metrics.
    static func text(
        _ result: JSONValue, of action: String, metrics: () throws -> JSONValue
    ) throws -> String? {
        switch action {
        case "status": try status(result) + lines(metrics().arrayValue ?? [], metric)
        case "metrics": result.stringValue ?? lines(result.arrayValue ?? [], metric)
        case "exchanges": lines(result.arrayValue ?? [], exchange)
        case "suspend", "resume", "cancel": "\(exchanges(number(result["exchanges"])))\n"
        default: nil
        }
    }

    private static func lines(_ values: [JSONValue], _ line: (JSONValue) -> String) -> String {
        values.map { line($0) + "\n" }.joined()
    }

    private static func number(_ value: JSONValue?) -> Int { value?.numberValue?.integer(Int.self) ?? 0 }

    private static func exchanges(_ count: Int) -> String { "\(count) \(count == 1 ? "exchange" : "exchanges")" }

    private static func status(_ status: JSONValue) -> String {
        let plugins = status["plugins"]?.arrayValue?.compactMap(\.stringValue) ?? []
        let loops = number(status["loops"])
        return """
            plugboard \(status["plugboard"]?.stringValue ?? "?"), process \(number(status["pid"])), \
            \(loops) \(loops == 1 ? "loop" : "loops"), \(exchanges(number(status["exchanges"]))) under way
            plugins: \(plugins.isEmpty ? "none" : plugins.joined(separator: ", "))

            """
    }

    private static func metric(_ metric: JSONValue) -> String {
        let labels = (metric["labels"]?.objectValue ?? [:]).map { "\($0.key)=\($0.value.stringValue ?? "")" }
        let name = (metric["name"]?.stringValue ?? "") + (labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}")
        let value = number(metric["value"])
        guard metric["kind"]?.stringValue == "histogram" else { return "\(name) \(value)" }
        let count = (metric["counts"]?.arrayValue ?? []).reduce(0) { $0 &+ number($1) }
        return "\(name) count \(count), mean \(count == 0 ? 0 : value / count)"
    }

    /// `12 GET https://host/ → 200 in 34 ms (2 attempts, tag sync)`.
    static func exchange(_ exchange: JSONValue) -> String {
        var text =
            "\(number(exchange["id"])) \(exchange["method"]?.stringValue ?? "") \(exchange["url"]?.stringValue ?? "")"
        if let status = exchange["status"] { text += " → \(number(status))" }
        if let error = exchange["error"]?.stringValue { text += " \(error)" }
        text += " in \(Int(exchange["milliseconds"]?.numberValue?.double ?? 0)) ms"
        var notes: [String] = []
        let attempts = number(exchange["attempts"])
        if attempts != 1 { notes.append("\(attempts) attempts") }
        if let sender = exchange["sender"]?.stringValue { notes.append("sub-request of \(sender)") }
        if let tag = exchange["tag"]?.stringValue { notes.append("tag \(tag)") }
        if exchange["suspended"]?.boolValue == true { notes.append("suspended") }
        return notes.isEmpty ? text : "\(text) (\(notes.joined(separator: ", ")))"
    }
}
