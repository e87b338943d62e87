import PlugboardKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Whole files that hold secrets. Blocks; not for the loop.
enum PrivateFile {
    /// More than any file of cookies has.
    static let limit = 64 << 20

    static func contents(of path: String) throws(PlugboardError) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw failure("read", path) }
        defer { close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(file, &piece, piece.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw failure("read", path) }
            if count == 0 { return bytes }
            bytes += piece[..<count]
            guard bytes.count <= limit else {
                throw PlugboardError(
                    "cookies.file", "\(path) is larger than \(limit >> 20) MiB, and no file of cookies.")
            }
        }
    }

    /// The whole file or none of it, readable by its owner only.
    static func replace(_ path: String, with bytes: [UInt8]) throws(PlugboardError) {
        let draft = "\(path).\(getpid()).new"
        let file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure("write", path) }
        defer { close(file) }
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes { bytes in
                write(file, bytes.baseAddress.map { $0 + start }, bytes.count - start)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw abandon(draft, path) }
            start += count
        }
        guard fsync(file) == 0, rename(draft, path) == 0 else { throw abandon(draft, path) }
    }

    private static func abandon(_ draft: String, _ path: String) -> PlugboardError {
        defer { unlink(draft) }
        return failure("write", path)
    }

    private static func failure(_ what: String, _ path: String) -> PlugboardError {
        PlugboardError("cookies.file", "Cannot \(what) \(path): \(String(cString: strerror(errno))).")
    }
}
