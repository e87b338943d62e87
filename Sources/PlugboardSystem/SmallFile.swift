/// Files that are read whole.
package enum SmallFile {
    package struct Unreadable: Error {
        /// The end of a sentence that begins with the path.
        package let reason: String

        init(_ number: Int32) {
            reason = number == ENOENT ? "does not exist" : "cannot be read: \(systemText(number))"
        }
    }

    /// All bytes of the file, but at most one more than the limit. Blocks.
    ///
    /// - Parameter waits: Whether a FIFO without a writer is waited for; otherwise it counts as empty.
    package static func bytes(of path: String, limit: Int, waits: Bool = true) -> Result<[UInt8], Unreadable> {
        let file = open(path, O_RDONLY | O_CLOEXEC | (waits ? 0 : O_NONBLOCK))
        guard file >= 0 else { return .failure(Unreadable(errno)) }
        defer { close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: min(64 << 10, limit + 1))
        while bytes.count <= limit {
            let count = read(file, &piece, min(piece.count, limit + 1 - bytes.count))
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { return .failure(Unreadable(errno)) }
            if count == 0 { break }
            bytes.append(contentsOf: piece[..<count])
        }
        return .success(bytes)
    }

    /// The beginning of a file of the system, such as those in /proc: at most 4 KiB. Nil if it cannot be read.
    package static func text(of path: String) -> String? {
        guard case .success(let bytes) = bytes(of: path, limit: 4095, waits: false), !bytes.isEmpty else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The absolute path of the folder of a file; nil if the process's own folder is gone.
    package static func folder(of path: String) -> String? {
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
        if folder.hasPrefix("/") { return String(folder) }
        guard let current = getcwd(nil, 0) else { return nil }
        defer { free(current) }
        return "\(String(cString: current))/\(folder)"
    }
}
