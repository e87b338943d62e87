import PlugboardKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Whole files in memory, for what is small by nature.
enum FileContents {
    /// All bytes of a file, or of standard input for `-`. Blocks.
    static func bytes(of path: String) throws(CommandFailure) -> [UInt8] {
        let isStandardInput = path == "-"
        let file = isStandardInput ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw unreadable(path, errno) }
        defer { if !isStandardInput { close(file) } }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(file, &piece, piece.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(path, errno) }
            if count == 0 { return bytes }
            bytes += piece[..<count]
        }
    }

    private static func unreadable(_ path: String, _ number: Int32) -> CommandFailure {
        CommandFailure(.read, "\(path == "-" ? "Standard input" : path) cannot be read: \(systemText(number)).")
    }
}
