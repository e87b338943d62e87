import Foundation

/// A port of 127.0.0.1 that refuses connections and that no other process can use meanwhile.
package final class ClosedPort: Sendable {
    package let port: Int
    let descriptor: Int32

    package init() throws {
        // Bound, but never listening.
        (descriptor, port) = try sockaddr_in.bindLoopback()
    }

    deinit { close(descriptor) }

    /// An absolute URL on this port; the path begins with "/".
    package func url(_ path: String = "/") -> String { "http://127.0.0.1:\(port)\(path)" }
}
