import PlugboardKit
import PlugboardRecorderOptions

/// Arguments of the commands of the recorder.
extension CommandArguments {
    func number(_ name: String) throws(PlugboardError) -> Int? {
        guard let text = try self[name] else { return nil }
        guard let number = Int(text), number > 0 else { throw wrong(name, "a number above 0") }
        return number
    }

    func requiredNumber(_ name: String) throws(PlugboardError) -> Int64 {
        _ = try required(name)
        return Int64(try number(name) ?? 0)
    }

    func flag(_ name: String) throws(PlugboardError) -> Bool {
        switch try self[name] {
        case nil, "false": return false
        case "true": return true
        default: throw wrong(name, "true or false")
        }
    }

    func filter() throws(PlugboardError) -> RecordFilter {
        var filter = RecordFilter()
        filter.method = try self["method"]
        filter.host = try self["host"]
        filter.text = try self["text"]
        filter.label = try self["label"]
        filter.after = Int64(try number("after") ?? 0)
        if let before = try number("before") { filter.before = Int64(before) }
        if let took = try self["took"] {
            guard let time = DurationText(took)?.duration else { throw wrong("took", "a time such as 500ms") }
            filter.took = time
        }
        if let status = try self["status"] {
            guard let status = RecordFilter.Status(status) else { throw wrong("status", "such as 404, 4xx or failed") }
            filter.status = status
        }
        return filter
    }
}

extension RecordFilter.Status {
    /// `404`, `4xx` or `failed`.
    init?(_ text: String) {
        if text == "failed" {
            self = .failed
        } else if text.lowercased().hasSuffix("xx"), let hundreds = Int(text.dropLast(2)), (1...9).contains(hundreds) {
            self = .between(hundreds * 100...hundreds * 100 + 99)
        } else if let status = Int(text), (100...999).contains(status) {
            self = .exactly(status)
        } else {
            return nil
        }
    }
}
