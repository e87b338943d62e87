import PlugboardKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Reads files and standard input: small ones into memory, others in pieces.
enum FileContents {
    /// All bytes of a file. Blocks.
    ///
    /// - Parameter option: The option that names the file, for the error.
    static func bytes(of path: String, for option: String? = nil) throws(CommandFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        try read(path, named: option.map { "\($0): \(path)" } ?? path) { piece in
            bytes += piece
            return true
        }
        return bytes
    }

    /// All bytes of standard input. Blocks.
    static func ofStandardInput() throws(CommandFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        try readStandardInput { piece in
            bytes += piece
            return true
        }
        return bytes
    }

    /// Gives a file to the closure, in pieces, until that returns false. Blocks.
    static func read(
        _ path: String, named name: String? = nil, _ take: (UnsafeRawBufferPointer) -> Bool
    ) throws(CommandFailure) {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw unreadable(name ?? path, errno) }
        defer { close(file) }
        try read(file, name ?? path, take)
    }

    /// Gives standard input to the closure, in pieces, until that returns false. Blocks.
    static func readStandardInput(_ take: (UnsafeRawBufferPointer) -> Bool) throws(CommandFailure) {
        try read(STDIN_FILENO, "Standard input", take)
    }

    private static func read(
        _ file: Int32, _ name: String, _ take: (UnsafeRawBufferPointer) -> Bool
    ) throws(CommandFailure) {
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 8)
        defer { piece.deallocate() }
        while true {
            let count = readBytes(file, piece.baseAddress, piece.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(name, errno) }
            guard count > 0, take(UnsafeRawBufferPointer(rebasing: piece[..<count])) else { return }
        }
    }

    private static func unreadable(_ name: String, _ number: Int32) -> CommandFailure {
        CommandFailure(
            .read,
            number == ENOENT ? "\(name) does not exist." : "\(name) cannot be read: \(systemText(number)).")
    }
}

/// The system's `read`, whose name the functions of files have, too.
private func readBytes(_ file: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(file, bytes, count)
}
