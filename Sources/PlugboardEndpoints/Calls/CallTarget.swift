import PlugboardCore

/// What a call sends, for people: a method and a URL, which may have placeholders as long as the request is not made.
struct CallTarget: Sendable, CustomStringConvertible {
    let method: Method
    /// What the path is below; nil for an absolute one.
    var base: String?
    var prefix = ""
    let path: String

    /// Without the values of the query.
    var description: String {
        "\(method.name) \(Printable.url((try? EndpointURL.joined(base, prefix, path)) ?? path))"
    }

    /// Where it goes, as far as that is known.
    var origin: Origin? { Origin(url: path) ?? base.flatMap { Origin(url: $0) } }
}
