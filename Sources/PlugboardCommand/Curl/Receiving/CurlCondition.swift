import CPlugboardCurl
import PlugboardKit
import PlugboardSystem

/// The conditions of `--time-cond` and `--etag-compare` on which a response is wanted.
struct CurlCondition: Sendable {
    private var limit: (date: HTTPDate, isBefore: Bool)?
    private var tag: String?
    private let tagFile: String?

    /// Reads the file of `--etag-compare`. Blocks.
    init(_ group: CurlGroup) throws(CommandFailure) {
        if let file = group.values["etag-compare"] {
            let text = access(file, F_OK) == 0 ? String(decoding: try FileContents.bytes(of: file), as: UTF8.self) : ""
            let line = text.prefix { !$0.isNewline }
            tag = line.isEmpty ? "\"\"" : String(line)
        }
        tagFile = group.values["etag-save"]
        if let text = group.values["time-cond"] {
            let isBefore = text.hasPrefix("-")
            let word = isBefore || text.hasPrefix("+") ? String(text.dropFirst()) : text
            let seconds = curl_getdate(word, nil)
            var entry = stat()
            if seconds >= 0 {
                limit = (HTTPDate(seconds: Int64(seconds)), isBefore)
            } else if stat(word, &entry) == 0 {
                limit = (HTTPDate(seconds: Int64(entry.st_mtim.tv_sec)), isBefore)
            } else {
                StandardError.warn("--time-cond is neither a date nor a file, and is ignored")
            }
        }
    }

    var isGiven: Bool { limit != nil || tag != nil }

    /// Makes the file of `--etag-save`, which exists even after a response without a tag.
    func begin() throws(CommandFailure) {
        if let tagFile, tagFile != "-" { _ = try ByteOutput(path: tagFile, O_APPEND) }
    }

    /// Adds the fields of the conditions that the request does not have.
    func add(to request: inout Request) {
        let date: FieldName = limit?.isBefore ?? false ? "If-Unmodified-Since" : .ifModifiedSince
        for (name, value) in [(date, limit.map { "\($0.date)" }), (.ifNoneMatch, tag)] {
            if let value, !request.fields.contains(name) { request.fields.append(name, value) }
        }
    }

    /// Whether the server has sent content that does not meet the condition by its `Last-Modified`.
    func excludes(_ head: ResponseHead) -> Bool {
        guard let limit, let modified = CurlCondition.modified(head) else { return false }
        return limit.isBefore ? modified >= limit.date : modified <= limit.date
    }

    static func modified(_ head: ResponseHead) -> HTTPDate? {
        var text = head.fields[.lastModified] ?? ""
        return text.withUTF8 {
            HTTPDate(UnsafeRawBufferPointer($0), now: HTTPDate(seconds: Int64(time(nil))))
        }
    }

    /// Writes the `ETag` of a response without an error to the file of `--etag-save`.
    func save(_ head: ResponseHead) throws(CommandFailure) {
        guard let tagFile, (200...399).contains(head.status), let tag = head.fields[.etag] else { return }
        let output = tagFile == "-" ? ByteOutput.standard : try ByteOutput(path: tagFile)
        try output.write(Bytes("\(output.isTerminal ? Printable.text(tag) : tag)\n"))
    }
}
