/// The option `connectTo`, with its entries found by host and port.
///
/// libcurl would compare each entry of its list with each request.
package final class ConnectToTable: Sendable {
    /// The option that it was made of.
    package let option: [String: String]
    private let targets: [Origin: String]

    /// Nil if an entry is not `host:port` for `host:port`.
    package init?(_ option: [String: String]) {
        var targets: [Origin: String] = [:]
        // Of two spellings of one host, the first in the alphabet counts.
        for (from, to) in option.sorted(by: { $0.key > $1.key }) {
            guard RequestOptions.isHostAndPort(from), RequestOptions.isHostAndPort(to), !to.utf8.contains(0) else {
                return nil
            }
            // The text has a port, so that both schemes get the same target.
            for scheme in ["http", "https"] { Origin("\(scheme)://\(from)").map { targets[$0] = to } }
        }
        self.option = option
        self.targets = targets
    }

    /// The host and port to connect to for this origin, or nil for its own.
    package func target(of origin: Origin) -> String? { targets[origin] }

    /// The host and port to connect to for the origin of this URL, or nil for its own.
    package func target(of url: String) -> String? { Origin(url: url).flatMap { targets[$0] } }
}
