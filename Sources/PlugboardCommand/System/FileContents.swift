import PlugboardKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Reads whole files into memory; for small files.
enum FileContents {
    /// All bytes of a file. Blocks.
    ///
    /// - Parameter option: The option that names the file, for the error.
    static func bytes(of path: String, for option: String? = nil) throws(CommandFailure) -> [UInt8] {
        let name = option.map { "\($0): \(path)" } ?? path
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw unreadable(name, errno) }
        defer { close(file) }
        return try bytes(from: file, name)
    }

    /// All bytes of standard input. Blocks.
    static func ofStandardInput() throws(CommandFailure) -> [UInt8] { try bytes(from: STDIN_FILENO, "Standard input") }

    private static func bytes(from file: Int32, _ name: String) throws(CommandFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(file, &piece, piece.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(name, errno) }
            if count == 0 { return bytes }
            bytes += piece[..<count]
        }
    }

    private static func unreadable(_ name: String, _ number: Int32) -> CommandFailure {
        CommandFailure(
            .read,
            number == ENOENT ? "\(name) does not exist." : "\(name) cannot be read: \(systemText(number)).")
    }
}
