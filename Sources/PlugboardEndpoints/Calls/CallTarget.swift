import PlugboardCore

/// The method and URL of a call, for people. The URL may have placeholders until the request is made.
struct CallTarget: Sendable, CustomStringConvertible {
    let method: Method
    /// The base URL of the path; nil if the path is an absolute URL.
    var base: String?
    var prefix = ""
    let path: String

    /// The method and the URL without the values of the query.
    var description: String {
        "\(method.name) \(Printable.url((try? EndpointURL.joined(base, prefix, path)) ?? path))"
    }

    /// The origin of the request, if it is known.
    var origin: Origin? { Origin(url: path) ?? base.flatMap { Origin(url: $0) } }
}
