import PlugboardKit
import PlugboardSystem

/// Where a response is written: standard output, or a file that is made with its first byte.
final class ResponseFile {
    /// How a file is made.
    struct Manner {
        var makesFolders = false
        /// Leaves a file that exists, and takes the first free name with `.1`, `.2` and so on.
        var keepsExisting = false
        /// Appends to the file.
        var appends = false
        var mode: mode_t?
    }

    /// Nil is standard output.
    private(set) var path: String?
    /// Whether the body is shown to people: it goes to a terminal, and `-` does not ask for the unchanged bytes.
    let isForReaders: Bool
    private let manner: Manner
    private var file: ByteOutput?
    /// The size of a continued file before this command.
    private var initial: off_t = 0
    /// Whether the file is left as it is.
    private var isLeft = false
    /// Whether the server has named the file, so that it must not replace another one.
    private var isServersName = false

    init(_ path: String?, _ manner: Manner = Manner()) {
        self.path = path == "-" ? nil : path
        self.manner = manner
        isForReaders = path == nil && ByteOutput.standard.isTerminal
    }

    /// Takes the name that the server gives the file, in the same folder.
    func rename(_ name: String) {
        guard let path, file == nil else { return }
        self.path = (path.lastIndex(of: "/").map { String(path[...$0]) } ?? "") + name
        isServersName = true
    }

    func opened() throws(CommandFailure) -> ByteOutput {
        if let file { return file }
        guard let path else { return .standard }
        if path.isEmpty { throw ResponseFile.withoutName }
        if path.hasSuffix("/") { throw CommandFailure(.write, "\(path) is no name of a file: write -o FILE.") }
        if manner.makesFolders { try NewFolder.make(above: path) }
        let opened = try open(path)
        file = opened
        return opened
    }

    /// The error for `-O` with a URL that ends with no name, and with `-J` if the server gives none either.
    static let withoutName = CommandFailure(.write, "The URL has no name of a file for -O: write -o FILE.")

    private func open(_ path: String) throws(CommandFailure) -> ByteOutput {
        let mode = manner.mode ?? 0o666
        if isServersName, !manner.keepsExisting { return try ByteOutput(path: path, O_EXCL, mode: mode) }
        guard manner.keepsExisting else {
            let opened = try ByteOutput(path: path, manner.appends ? O_APPEND : O_TRUNC, mode: mode)
            var entry = stat()
            if manner.appends, stat(path, &entry) == 0 { initial = entry.st_size }
            return opened
        }
        var number = 0
        while true {
            let name = number == 0 ? path : "\(path).\(number)"
            number += 1
            if access(name, F_OK) == 0, number <= 100 { continue }
            self.path = name
            return try ByteOutput(path: name, O_EXCL, mode: mode)
        }
    }

    /// Makes a file that is continued, even if no response comes.
    func begin() throws(CommandFailure) { if manner.appends { try complete() } }

    /// Makes the file even if nothing was written, unless it is left as it is.
    func complete() throws(CommandFailure) { if path != nil, !isLeft { _ = try opened() } }

    /// Leaves the file as it is, because the response has nothing for it: the file is neither made nor emptied.
    func leave() { isLeft = true }

    /// Removes what the last attempt has written, before the next attempt.
    func restart() {
        isLeft = false
        guard let path, file != nil, isRegular(path) else { return }
        truncate(path, manner.appends ? initial : 0)
        // The descriptor of a file that is not continued stands behind the end.
        if !manner.appends { file = try? ByteOutput(path: path) }
    }

    /// Removes a file that was written.
    func remove() {
        guard let path, file != nil else { return }
        file = nil
        if isRegular(path) { unlink(path) }
    }

    private func isRegular(_ path: String) -> Bool {
        var entry = stat()
        return lstat(path, &entry) == 0 && entry.st_mode & S_IFMT == S_IFREG
    }

    /// Gives the file the time of the response's `Last-Modified`.
    func setTime(_ date: HTTPDate) {
        guard let path, file != nil else { return }
        file = nil
        ResponseFile.setTime(date, of: path)
    }

    static func setTime(_ date: HTTPDate, of path: String) {
        let time = timespec(tv_sec: Int(date.seconds), tv_nsec: 0)
        _ = withUnsafeTemporaryAllocation(of: timespec.self, capacity: 2) { times in
            times.initialize(repeating: time)
            return utimensat(AT_FDCWD, path, times.baseAddress, 0)
        }
    }
}
