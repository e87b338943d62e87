import PlugboardKit

/// Selects the records that a command is for. Nil members select all.
struct RecordFilter: Sendable {
    /// The ids between these two, without them.
    var after: Int64 = 0
    var before = Int64.max
    var method: String?
    /// A host; with a leading dot, the host and all its subdomains.
    var host: String?
    /// A number, or a class such as 4xx; `failed` for exchanges without a response.
    var status: Status?
    /// The shortest duration.
    var took: Duration?
    /// Contained in the URL, the label, a field or a body, without regard to case.
    var text: String?
    var label: String?

    enum Status: Sendable, Equatable {
        case exactly(Int)
        case between(ClosedRange<Int>)
        case failed
    }

    func selects(_ record: Record) -> Bool {
        guard record.id > after, record.id < before else { return false }
        if let method, method.uppercased() != record.method { return false }
        if let host, !matches(host.lowercased(), record.host) { return false }
        switch status {
        case .exactly(let status): if record.status != status { return false }
        case .between(let range): if !(record.status.map { range.contains($0) } ?? false) { return false }
        case .failed: if record.failure == nil { return false }
        case nil: break
        }
        if let took, record.took < took { return false }
        if let label, label != record.label { return false }
        if let text { return holds(text.lowercased(), record) }
        return true
    }

    private func matches(_ host: String, _ found: String) -> Bool {
        host.hasPrefix(".") ? found.hasSuffix(host) || found == host.dropFirst() : found == host
    }

    private func holds(_ text: String, _ record: Record) -> Bool {
        let texts = [record.url, record.label ?? ""] + record.entries.flatMap(RecordFilter.texts)
        return texts.contains { $0.lowercased().contains(text) }
    }

    /// The fields and bodies of an entry.
    private static func texts(_ entry: JSONValue) -> [String] {
        let (request, response) = (entry["request"], entry["response"])
        let fields = (request?["headers"]?.arrayValue ?? []) + (response?["headers"]?.arrayValue ?? [])
        let bodies = [request?["postData"]?["text"]?.stringValue, response?["content"]?["text"]?.stringValue]
        return fields.compactMap { field in
            "\(field["name"]?.stringValue ?? ""): \(field["value"]?.stringValue ?? "")"
        } + bodies.compactMap(\.self)
    }
}
