import PlugboardSystem

/// Files that only their owner can read.
enum PrivateFile {
    /// Writes a file with mode 0600; a file that exists is replaced atomically. A link at the path is not followed.
    ///
    /// - Parameters:
    ///   - replaces: Whether a file that exists is replaced; otherwise it is an error.
    ///   - advice: What to do with a file that exists.
    static func write(
        _ bytes: [UInt8], to path: String, replaces: Bool, advice: String = ""
    ) throws(CommandFailure) {
        let draft = replaces ? "\(path).\(String(UInt64.random(in: 0 ... .max), radix: 36)).new" : path
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw errno == EEXIST
                ? CommandFailure(.write, "\(path) exists already. \(advice)") : failure(path, errno)
        }
        defer { close(file) }
        var number = bytes.withUnsafeBytes { writeAll($0, to: file) }
        if number == nil, fsync(file) != 0 { number = errno }
        if number == nil, replaces, rename(draft, path) != 0 { number = errno }
        guard let number else { return }
        unlink(draft)
        throw failure(path, number)
    }

    /// Makes the folders of a path, each with mode 0700, as far as they do not exist.
    static func makeFolders(of path: String) {
        var end = path.startIndex
        while let slash = path[end...].dropFirst().firstIndex(of: "/") {
            mkdir(String(path[..<slash]), 0o700)
            end = slash
        }
    }

    private static func failure(_ path: String, _ number: Int32) -> CommandFailure {
        CommandFailure(.write, "\(path) cannot be written: \(systemText(number)).")
    }
}
