import PlugboardKit
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file to which whole lines are appended, which several processes may do at once. Only its owner can read it.
///
/// Its functions block, and return an error as a sentence.
final class LineFile: Sendable {
    private let path: String

    init(_ path: String) { self.path = path }

    func append(_ line: String) -> String? {
        // Opened each time, because a tool may rename the file in between.
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return LineFile.error(path) }
        defer { close(file) }
        return LineFile.write("\(line)\n", to: file) ? nil : LineFile.error(path)
    }

    /// Replaces a file as a whole, so that a reader never sees a part.
    static func replace(_ path: String, with text: String) -> String? {
        let draft = "\(path).\(String(UInt64.random(in: 0 ... .max), radix: 36)).new"
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard file >= 0 else { return error(draft) }
        let isWritten = write(text, to: file)
        guard close(file) == 0, isWritten, rename(draft, path) == 0 else {
            defer { unlink(draft) }
            return error(path)
        }
        return nil
    }

    private static func write(_ text: String, to file: Int32) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { writeBytes(file, $0) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func error(_ path: String) -> String {
        "\(Printable.text(path)) cannot be written: \(String(cString: strerror(errno)))."
    }
}

private func writeBytes(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(file, bytes.baseAddress, bytes.count)
}
