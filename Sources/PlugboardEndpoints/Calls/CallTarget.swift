import PlugboardCore

/// The method and URL of a call. The URL may have placeholders until the request is made.
struct CallTarget: Sendable, CustomStringConvertible {
    let method: Method
    /// The base URL of the path; nil if the path is an absolute URL.
    var base: String?
    var prefix = ""
    let path: String

    /// The URL in UTF-8. Throws `request.url` if the path is relative and there is no base.
    var url: [UInt8] { get throws(PlugboardError) { try EndpointURL.joined(base, prefix, path) } }

    /// The method and the URL without the values of the query.
    var description: String {
        "\(method.name) \(Printable.url((try? url).map { String(decoding: $0, as: UTF8.self) } ?? path))"
    }

    /// The origin of the request, if it is known.
    var origin: Origin? { Origin(url: path) ?? base.flatMap { Origin(url: $0) } }
}
