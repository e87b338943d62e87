/// The option `connectTo`, with its entries found by host and port.
///
/// In a key, `*` is any host or port; in a target, it is the request's own. libcurl would compare each entry of its
/// list with each request.
package final class ConnectToTable: Sendable {
    /// A target with `*` in it or in its key.
    private struct General: Sendable {
        /// Nil is any.
        let (host, port): (String?, Int?)
        let target: (host: String, port: String)
    }

    /// The option that it was made of.
    package let option: [String: String]
    private let targets: [Origin: String]
    /// The entries with `*`, from the most special to the most general.
    private let general: [General]

    /// Nil if an entry is not `host:port` for `host:port`.
    package init?(_ option: [String: String]) {
        var targets: [Origin: String] = [:]
        var general: [General] = []
        // Of two spellings of one host, the first in the alphabet counts.
        for (from, to) in option.sorted(by: { $0.key > $1.key }) {
            guard ConnectToTable.isEntry(from, to) else { return nil }
            let (source, target) = (ConnectToTable.parts(of: from), ConnectToTable.parts(of: to))
            if ![source.host, source.port, target.host, target.port].contains("*") {
                // The text has a port, so that both schemes get the same target.
                for scheme in ["http", "https"] { Origin("\(scheme)://\(from)").map { targets[$0] = to } }
                continue
            }
            let host = source.host == "*" ? nil : Origin(scheme: "http", host: source.host)?.host
            general.append(General(host: host, port: Int(source.port), target: target))
        }
        self.option = option
        self.targets = targets
        self.general = general.sorted { ConnectToTable.rank($0) < ConnectToTable.rank($1) }
    }

    /// Whether both are `host:port`, in which `*` can be the host and the port.
    package static func isEntry(_ from: String, _ to: String) -> Bool {
        [from, to].allSatisfy { text in
            let (host, port) = parts(of: text)
            return !text.utf8.contains(0)
                && RequestOptions.isHostAndPort("\(host == "*" ? "a" : host):\(port == "*" ? "1" : port)")
        }
    }

    private static func parts(of text: String) -> (host: String, port: String) {
        let colon = text.lastIndex(of: ":") ?? text.endIndex
        return (String(text[..<colon]), String(text[colon...].dropFirst()))
    }

    private static func rank(_ entry: General) -> Int { (entry.host == nil ? 2 : 0) + (entry.port == nil ? 1 : 0) }

    /// The host and port to connect to for this origin, or nil for its own.
    package func target(of origin: Origin) -> String? {
        if let target = targets[origin] { return target }
        let entry = general.first { entry in
            (entry.host == nil || entry.host == origin.host) && (entry.port == nil || entry.port == origin.port)
        }
        return entry.map { entry in
            let (host, port) = entry.target
            return "\(host == "*" ? origin.host : host):\(port == "*" ? "\(origin.port)" : port)"
        }
    }

    /// The host and port to connect to for the origin of this URL, or nil for its own.
    package func target(of url: String) -> String? { Origin(url: url).flatMap { target(of: $0) } }
}
