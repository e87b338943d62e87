import PlugboardKit
import PlugboardRecorderOptions

/// Files of HAR 1.2.
enum HARFile {
    /// The largest file that is read.
    static let limit = ByteCount.mebibytes(256)

    /// - Parameter store: Identifies the store to a page; nil for a file.
    static func text(of records: some Sequence<Record>, version: String, store: String? = nil) -> [UInt8] {
        var entries = records.flatMap(\.entries)
        let pages = takePages(of: &entries)
        var log: JSONObject = [
            "version": "1.2", "creator": ["name": "Plugboard", "version": .string(version)],
            "entries": .array(entries),
            // Which entries belong to one exchange: the next ones, as many as each says.
            "_exchanges": .array(records.map(\.groupJSON)),
        ]
        if !pages.isEmpty { log["pages"] = .array(pages.values) }
        if let store { log["_store"] = .string(store) }
        return JSONWriter.write(["log": .object(log)])
    }

    /// The exchanges of a file that this plugin wrote; of another one, each entry as a record of its own. Throws
    /// `recorder.file`.
    static func records(_ bytes: [UInt8]) throws(PlugboardError) -> [Record] {
        let value: JSONValue
        var options = JSONParser.Options()
        options.sizeLimit = limit.bytes
        do throws(JSONError) { value = try JSONParser.parse(bytes, options: options) } catch {
            throw PlugboardError(.recorderFile, "The file is not JSON: \(error).")
        }
        guard var entries = value["log"]?["entries"]?.arrayValue else {
            throw PlugboardError(.recorderFile, "The file is not HAR: it has no list log.entries.")
        }
        givePages(value["log"]?["pages"]?.arrayValue ?? [], to: &entries)
        let records = try entries.enumerated().map { (index, entry) throws(PlugboardError) in
            guard let record = Record(entry) else {
                throw PlugboardError(
                    .recorderFile,
                    "log.entries[\(index)] is not an entry of HAR: it needs startedDateTime, request.method, "
                        + "request.url and response.status.")
            }
            return record
        }
        return grouped(records, as: value["log"]?["_exchanges"]?.arrayValue ?? [])
    }

    /// Puts each page into its first entry, as `_page`: a store keeps nothing but entries.
    private static func givePages(_ pages: [JSONValue], to entries: inout [JSONValue]) {
        var rest = Dictionary(
            pages.compactMap { page in page["id"]?.stringValue.map { ($0, page) } },
            uniquingKeysWith: { first, _ in first })
        for index in entries.indices {
            guard let id = entries[index]["pageref"]?.stringValue, var entry = entries[index].objectValue,
                let page = rest.removeValue(forKey: id)
            else { continue }
            entry["_page"] = page
            entries[index] = .object(entry)
        }
    }

    /// Takes the pages out of the entries, by their ids.
    private static func takePages(of entries: inout [JSONValue]) -> JSONObject {
        var pages = JSONObject()
        for index in entries.indices {
            guard let page = entries[index]["_page"], let id = page["id"]?.stringValue,
                var entry = entries[index].objectValue
            else { continue }
            if !pages.contains(id) { pages[id] = page }
            entry["_page"] = nil
            entries[index] = .object(entry)
        }
        return pages
    }

    private static func grouped(_ records: [Record], as groups: [JSONValue]) -> [Record] {
        var rest = records[...]
        let grouped = groups.compactMap { group -> Record? in
            let part = rest.prefix(Int(clamping: max(group["entries"]?.intValue ?? 0, 0)))
            rest = rest.dropFirst(part.count)
            return Record(part, group)
        }
        // A file that was edited may have other entries.
        return rest.isEmpty && grouped.count == groups.count && !groups.isEmpty ? grouped : records
    }
}

extension Record {
    /// An element of `log._exchanges`.
    fileprivate var groupJSON: JSONValue {
        var group = summary.objectValue ?? [:]
        group["entries"] = .number(JSONNumber(entries.count))
        return .object(group)
    }

    /// The exchange of several entries; nil without any.
    fileprivate init?(_ attempts: ArraySlice<Record>, _ group: JSONValue) {
        guard let first = attempts.first, let last = attempts.last else { return nil }
        self = last
        (date, method, url, host) = (first.date, first.method, first.url, first.host)
        took = Record.duration(milliseconds: group["took"])
        failure = group["failure"]?.stringValue ?? failure
        label = group["label"]?.stringValue
        entries = attempts.flatMap(\.entries)
    }

    fileprivate static func duration(milliseconds: JSONValue?) -> Duration {
        .microseconds(Int64(min(max((milliseconds?.numberValue?.double ?? 0) * 1000, 0), 1e15)))
    }

    /// A record with the unchanged entry; nil if the entry lacks what a record needs.
    fileprivate init?(_ entry: JSONValue) {
        guard let date = entry["startedDateTime"]?.stringValue.flatMap({ HARDate($0) }),
            let method = entry["request"]?["method"]?.stringValue, let url = entry["request"]?["url"]?.stringValue,
            let status = entry["response"]?["status"]?.intValue
        else { return nil }
        self.init(
            id: 0, date: date.sinceEpoch, took: Record.duration(milliseconds: entry["time"]), method: method, url: url,
            host: Origin(url: url)?.host ?? "", status: status > 0 ? Int(clamping: status) : nil,
            failure: status > 0 ? nil : entry["_error"]?.stringValue ?? "unknown", label: entry["_label"]?.stringValue,
            entries: [entry])
    }
}

/// A date of HAR: RFC 3339 §5.6 with any fraction and offset.
struct HARDate {
    let sinceEpoch: Duration

    init?(_ text: String) {
        let parts = text.utf8.split(omittingEmptySubsequences: true) { !(0x30...0x39).contains($0) }
            .compactMap { Int(Substring($0)) }
        guard parts.count >= 6, text.utf8.count <= 64, text.utf8.count > 18,
            let date = HTTPDate(
                year: parts[0], month: parts[1], day: parts[2], hour: parts[3], minute: parts[4], second: parts[5])
        else { return nil }
        var rest = text.dropFirst(19)
        var fraction = Duration.zero
        if rest.first == "." {
            let digits = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count + 1)
            let nanoseconds = Int64(digits.prefix(9) + String(repeating: "0", count: max(9 - digits.count, 0))) ?? 0
            fraction = .nanoseconds(nanoseconds)
        }
        var offset = 0
        if rest.first == "+" || rest.first == "-" {
            let digits = rest.dropFirst().filter(\.isNumber)
            guard digits.count == 4, let hours = Int(digits.prefix(2)), let minutes = Int(digits.suffix(2)) else {
                return nil
            }
            offset = (hours * 3600 + minutes * 60) * (rest.first == "-" ? -1 : 1)
        }
        sinceEpoch = .seconds(date.seconds - Int64(offset)) + fraction
    }
}
