import PlugboardKit
import PlugboardSystem

/// Reads files and standard input: small ones into memory, others in pieces.
enum FileContents {
    /// The most bytes that are read into memory; a device such as /dev/zero has no end.
    private static let limit = 256 << 20

    /// All bytes of a file of at most 256 MiB. Blocks.
    ///
    /// - Parameters:
    ///   - option: The option that names the file, for the error.
    ///   - advice: What to do with a larger file.
    static func bytes(
        of path: String, for option: String? = nil, advice: String = ""
    ) throws(CommandFailure) -> [UInt8] {
        let name = option.map { "\($0): \(path)" } ?? path
        return try collected(name, advice) { take throws(CommandFailure) in try read(path, named: name, take) }
    }

    /// All bytes of standard input, at most 256 MiB. Blocks.
    static func ofStandardInput(advice: String = "") throws(CommandFailure) -> [UInt8] {
        try collected("Standard input", advice) { take throws(CommandFailure) in try readStandardInput(take) }
    }

    private static func collected(
        _ name: String, _ advice: String, _ read: ((UnsafeRawBufferPointer) -> Bool) throws(CommandFailure) -> Void
    ) throws(CommandFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        try read { piece in
            bytes += piece
            return bytes.count <= limit
        }
        guard bytes.count <= limit else {
            throw CommandFailure(
                .read,
                "\(name) is larger than 256 MiB, the most that is read into memory.\(advice.isEmpty ? "" : " ")\(advice)"
            )
        }
        return bytes
    }

    /// Gives a file to the closure, in pieces, until that returns false. Blocks.
    static func read(
        _ path: String, named name: String? = nil, _ take: (UnsafeRawBufferPointer) -> Bool
    ) throws(CommandFailure) {
        let file = try open(path, named: name)
        defer { close(file) }
        try read(file, name ?? path, take)
    }

    /// Whether the path is that of a file whose size is known.
    static func isRegular(_ path: String) -> Bool {
        var entry = stat()
        return stat(path, &entry) == 0 && entry.st_mode & S_IFMT == S_IFREG
    }

    static func isFolder(_ path: String) -> Bool {
        var entry = stat()
        return stat(path, &entry) == 0 && entry.st_mode & S_IFMT == S_IFDIR
    }

    /// The descriptor of a file, for reading.
    static func open(_ path: String, named name: String? = nil) throws(CommandFailure) -> Int32 {
        let file = openFile(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw unreadable(name ?? path, errno) }
        return file
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
        let name = name.isEmpty ? "The file of an empty name" : name
        return CommandFailure(
            .read,
            number == ENOENT ? "\(name) does not exist." : "\(name) cannot be read: \(systemText(number)).")
    }
}

// The system's functions, whose names are those of methods above.
private func openFile(_ path: String, _ flags: Int32) -> Int32 { open(path, flags) }

private func readBytes(_ file: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(file, bytes, count)
}
