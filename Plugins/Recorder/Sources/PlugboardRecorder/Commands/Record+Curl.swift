import PlugboardKit
import PlugboardObserving
import PlugboardRecorderOptions

extension CurlLine {
    /// The request of a record. Secrets are `…` in it, as in the record.
    ///
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
        let fields = (request?["headers"]?.arrayValue ?? []).compactMap { field -> (name: String, value: String)? in
            guard let name = field["name"]?.stringValue, let value = field["value"]?.stringValue else { return nil }
            return (name, value)
        }
        self.init(record.method, record.url, fields: fields, body: data?["text"]?.stringValue)
    }
}
