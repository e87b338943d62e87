import PlugboardKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Files of rules, of bodies and of HAR.
enum MockFile {
    /// The largest file that is read.
    static let limit = 64 << 20

    /// Throws `configuration`. Blocks.
    static func bytes(of path: String) throws(PlugboardError) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw error(path) }
        defer { close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(file, &piece, piece.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw error(path) }
            if count == 0 { return bytes }
            bytes += piece[..<count]
            guard bytes.count <= limit else {
                throw PlugboardError(.configuration, "The file \(path) is larger than \(limit >> 20) MiB.")
            }
        }
    }

    private static func error(_ path: String) -> PlugboardError {
        PlugboardError(.configuration, "The file \(path) cannot be read: \(String(cString: strerror(errno))).")
    }
}
