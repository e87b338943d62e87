import PlugboardKit
import PlugboardRecorderOptions

/// The request of a record as a curl command for sh. Secrets are replaced by `…`, as in the record.
struct CurlLine {
    private var words = ["curl"]

    /// Throws `recorder.argument` for a request whose body is not recorded as text, or not whole.
    init(_ record: Record) throws(PlugboardError) {
        let request = record.entries.first?["request"]
        let data = request?["postData"]
        if data?["_encoding"] != nil || data?["_cut"] != nil {
            throw PlugboardError(
                .recorderArgument,
                "The body of the request of exchange \(record.id) is not recorded as text, or not whole: set bodies to whole."
            )
        }
        let body = data?["text"]?.stringValue
        if record.method == "HEAD" {
            words.append("-I")
        } else if record.method != (body == nil ? "GET" : "POST") {
            words += ["-X", record.method]
        }
        for field in request?["headers"]?.arrayValue ?? [] {
            guard let name = field["name"]?.stringValue, let value = field["value"]?.stringValue else { continue }
            words += ["-H", value.isEmpty ? "\(name);" : "\(name): \(value)"]
        }
        if let body {
            let names = request?["headers"]?.arrayValue?.compactMap { $0["name"]?.stringValue?.lowercased() } ?? []
            if !names.contains("content-type") { words += ["-H", "Content-Type:"] }
            words += ["--data-raw", body]
        }
        words += ["-g", "--url", record.url]
    }

    var text: String { words.map(quoted).joined(separator: " ") }

    private func quoted(_ word: String) -> String {
        let isPlain =
            !word.isEmpty
            && word.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || "-_./:=,@%+".utf8.contains(byte)
            }
        return isPlain
            ? word
            : "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }
}
