import PlugboardInspectPage
import PlugboardKit
import PlugboardObserving
import PlugboardRecorderOptions

/// Runs the plugin's commands, which may block.
struct RecorderCommandRun {
    let store: any RecordStore
    let host: PluginHost

    func run(_ name: String, _ arguments: JSONValue, _ reply: Reply) {
        guard let command = RecorderCommand(rawValue: name) else {
            reply.fail(PlugboardError(.commandUnknown, "The plugin recorder has no command \(name)."))
            return
        }
        do throws(PlugboardError) {
            let arguments = try CommandArguments(arguments, of: command.definition, code: .recorderArgument)
            switch command {
            case .list: try list(arguments, reply)
            case .show: reply.json(try show(arguments))
            case .har, .report: try write(command, arguments, reply)
            case .curl: reply.body(.text(try CurlLine(try record(arguments)).text + "\n"))
            case .import: reply.json(["imported": .number(JSONNumber(try importHAR(arguments)))])
            case .clear: reply.json(["removed": .number(JSONNumber(try store.remove(try arguments.filter())))])
            case .stats: reply.json(try stats(arguments))
            }
        } catch {
            reply.fail(error)
        }
    }

    private func record(_ arguments: CommandArguments) throws(PlugboardError) -> Record {
        let id = try arguments.requiredNumber("id")
        guard let record = try store.record(id) else {
            throw PlugboardError(
                .recorderArgument, "There is no exchange \(id). The command list shows those there are.")
        }
        return record
    }

    /// The newest records that the filter selects, from the newest one: at most `limit`, and none after `bytes`.
    private func newest(
        _ limit: Int, bytes: Int? = nil, _ arguments: CommandArguments
    ) throws(PlugboardError) -> [Record] {
        var records: [Record] = []
        var size = 0
        try store.each(try arguments.filter()) { record in
            records.append(record)
            if let bytes {
                size += record.size
                if size >= bytes { return false }
            }
            return records.count < limit
        }
        return records
    }

    private func list(_ arguments: CommandArguments, _ reply: Reply) throws(PlugboardError) {
        let records = try newest(try arguments.number("limit") ?? 50, arguments)
        if try arguments.flag("json") {
            reply.json(.array(records.map(\.summary)))
        } else {
            reply.body(.text(records.map { "\($0.line)\n" }.joined()))
        }
    }

    private func show(_ arguments: CommandArguments) throws(PlugboardError) -> JSONValue {
        let record = try record(arguments)
        guard var object = record.summary.objectValue else { return .null }
        object["entries"] = .array(record.entries)
        return .object(object)
    }

    /// - Parameter command: `har`, or `report`, which is the page with the same data.
    private func write(
        _ command: RecorderCommand, _ arguments: CommandArguments, _ reply: Reply
    ) throws(PlugboardError) {
        var records: [Record] = []
        let bytes = try arguments.number("bytes")
        if let id = try arguments.number("id") {
            if let record = try store.record(Int64(id)) { records.append(record) }
        } else {
            records = try newest(try arguments.number("limit") ?? .max, bytes: bytes, arguments)
        }
        // A page asks for a bounded number of bytes; other files say nothing of the store.
        let har = HARFile.text(
            of: records.reversed(), version: host.kernelVersion, store: bytes == nil ? nil : store.mark)
        let text = command == .report ? InspectPage.report(har) : har
        guard let path = try arguments["path"] else {
            reply.body(.bytes(text))
            return
        }
        try WholeFile.save(text, to: path, code: .recorderFile)
        reply.json(["written": .number(JSONNumber(records.count)), "path": .string(path)])
    }

    private func importHAR(_ arguments: CommandArguments) throws(PlugboardError) -> Int {
        let bytes: [UInt8]
        if let text = try arguments["text"] {
            bytes = Array(text.utf8)
        } else {
            bytes = try WholeFile.bytes(
                of: try arguments.required("path"), limit: HARFile.limit, code: .recorderFile, waits: true)
        }
        return try store.add(try HARFile.records(bytes))
    }

    private func stats(_ arguments: CommandArguments) throws(PlugboardError) -> JSONValue {
        var hosts: [String: RecordStatistics] = [:]
        try store.each(try arguments.filter()) {
            if !$0.isUnderWay { hosts[$0.host, default: RecordStatistics()].take($0) }
            return true
        }
        return .object(JSONObject(hosts.sorted { $0.key < $1.key }.map { ($0.key, $0.value.json) }))
    }
}

/// The times and statuses of exchanges with one host.
private struct RecordStatistics {
    private var times: [Duration] = []
    private var statuses: [String: Int] = [:]

    mutating func take(_ record: Record) {
        times.append(record.took)
        statuses[record.status.map { "\($0 / 100)xx" } ?? "failed", default: 0] += 1
    }

    var json: JSONValue {
        let sorted = times.sorted()
        func percentile(_ part: Int) -> JSONValue {
            HARText.milliseconds(sorted[max((sorted.count * part + 99) / 100 - 1, 0)])
        }
        return [
            "exchanges": .number(JSONNumber(sorted.count)),
            "statuses": .object(
                JSONObject(statuses.sorted { $0.key < $1.key }.map { ($0.key, .number(JSONNumber($0.value))) })),
            "p50": percentile(50), "p90": percentile(90), "p95": percentile(95), "p99": percentile(99),
            "longest": percentile(100),
        ]
    }
}

extension Record {
    /// What the command `list` shows of it.
    var summary: JSONValue {
        var summary: JSONObject = [
            "id": .number(JSONNumber(id)), "date": .string(HARText.date(date)), "method": .string(method),
            "url": .string(url), "status": status.map { .number(JSONNumber($0)) } ?? .null,
            "took": HARText.milliseconds(took), "attempts": .number(JSONNumber(attempts)),
        ]
        if let failure { summary["failure"] = .string(failure) }
        if isUnderWay { summary["isUnderWay"] = true }
        if let label { summary["label"] = .string(label) }
        return .object(summary)
    }

    fileprivate var line: String {
        let milliseconds = "\(Int(took / .milliseconds(1))) ms"
        let states = [status.map { "\($0)" }, failure, isUnderWay ? "under way" : nil]
        let outcome = states.compactMap(\.self).joined(separator: " ")
        let label = label.map { " [\($0)]" } ?? ""
        return Printable.text(
            "\(padded("\(id)", 5)) \(HARText.date(date)) \(padded(outcome.isEmpty ? "-" : outcome, 3)) \(padded(milliseconds, 8)) \(method) \(url)\(label)"
        )
    }

    private func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(width - text.count, 0)) + text
    }

    private var attempts: Int { entries.count { $0["_attempt"] != nil } }
}
