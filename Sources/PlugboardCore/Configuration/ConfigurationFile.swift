#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The file of a configuration, as bytes.
enum ConfigurationFile {
    struct Unreadable: Error {
        let reason: String
    }

    /// All bytes of the file, or one more than the limit. Blocks.
    static func bytes(of path: String, limit: Int) -> Result<[UInt8], Unreadable> {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return .failure(Unreadable(reason: text(of: errno))) }
        defer { close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count <= limit {
            let count = read(file, &piece, min(piece.count, limit + 1 - bytes.count))
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { return .failure(Unreadable(reason: text(of: errno))) }
            if count == 0 { break }
            bytes.append(contentsOf: piece[..<count])
        }
        return .success(bytes)
    }

    /// The absolute path of the folder of a file; nil if the process's own folder is gone.
    static func folder(of path: String) -> String? {
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
        if folder.hasPrefix("/") { return String(folder) }
        guard let current = getcwd(nil, 0) else { return nil }
        defer { free(current) }
        return "\(String(cString: current))/\(folder)"
    }

    private static func text(of cause: Int32) -> String { String(cString: strerror(cause)) }
}
