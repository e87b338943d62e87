import PlugboardKit
import PlugboardRanges

/// The request whose response is mended, as the template of the requests for the rest.
struct MendingRequest: Sendable {
    let url: String
    let fields: Fields
    let attributes: [String: String]
    let exchange: UInt64

    /// - Parameter renewed: If true, omits the credentials and keeps the caller's attributes, for a request that begins
    ///   at the first plugin: plugins such as authentication and cookies add current credentials. The cache must not
    ///   respond to it, and no plugin may decode its body.
    func request(_ range: RangeRequest, renewed: Bool) -> Request {
        var fields = fields
        // RFC 9110 §13.1: `If-Range` is the only precondition of a request for the rest.
        for name in MendingRequest.preconditions { fields.remove(name) }
        range.set(in: &fields)
        var request = Request(.get, url, fields: fields)
        guard renewed else { return request }
        for name in [FieldName.authorization, .cookie, "Proxy-Authorization"] { request.fields.remove(name) }
        for (name, value) in attributes { request.attributes[name] = value }
        for name in ["cache", "decode", "redirect", "resume", "validator"] {
            request.attributes["\(name).enabled"] = "false"
        }
        return request
    }

    private static let preconditions: [FieldName] = [
        "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "Expect",
    ]
}
