import PlugboardKit
import PlugboardSystem
import Synchronization

/// A file to which whole lines are appended, which several processes may do at once. Only its owner can read it.
///
/// It is opened for each call, because a tool may rename it in between. Its functions block, and return an error as a
/// sentence.
public final class LineFile: Sendable {
    /// When a file is renamed to `PATH.1`, that one to `PATH.2` and so on, and a new one begins.
    public struct Rotation: Sendable {
        /// The size in bytes from which on it is; nil for none.
        public var size: Int?
        /// How long a file is written to; nil for no limit. It counts from the first line that this process wrote to
        /// the file, or from the last change before.
        public var age: Duration?
        /// How many old files are kept.
        public var count: Int

        /// A rotation by size, by age or by both.
        public init(size: Int?, age: Duration?, count: Int) { (self.size, self.age, self.count) = (size, age, count) }
    }

    /// The file that was written to last.
    private struct Known {
        let device: dev_t
        let number: ino_t
        /// The time of its first line, in seconds since 1970-01-01 UTC.
        let began: Int
    }

    private let path: String
    private let rotation: Rotation?
    private let known = Mutex<Known?>(nil)

    /// The file is made by the first call of `append`.
    public init(_ path: String, _ rotation: Rotation? = nil) { (self.path, self.rotation) = (path, rotation) }

    /// Appends a text, and a line end.
    public func append(_ line: String) -> String? {
        // Another process may rotate the file between its opening and its lock.
        for _ in 0..<8 {
            let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard file >= 0 else { return LineFile.error(path) }
            defer { close(file) }
            if let rotation {
                guard flock(file, LOCK_EX) == 0 else { return LineFile.error(path) }
                var (own, current) = (stat(), stat())
                guard fstat(file, &own) == 0 else { return LineFile.error(path) }
                guard lstat(path, &current) == 0, current.st_dev == own.st_dev, current.st_ino == own.st_ino else {
                    continue
                }
                // A line for a file that cannot be renamed is not lost.
                if isDue(rotation, own) {
                    guard let error = rotate(rotation.count) else { continue }
                    return write(line, to: file) ?? error
                }
            }
            return write(line, to: file)
        }
        return "\(Printable.text(path)) cannot be written: other processes replace it again and again."
    }

    private func isDue(_ rotation: Rotation, _ file: stat) -> Bool {
        let now = time(nil)
        let began = known.withLock { known in
            // A new file may have the number of one that was removed.
            if file.st_size > 0, let known, known.device == file.st_dev, known.number == file.st_ino {
                return known.began
            }
            let began = file.st_size == 0 ? now : file.st_mtim.tv_sec
            known = Known(device: file.st_dev, number: file.st_ino, began: began)
            return began
        }
        guard file.st_size > 0 else { return false }
        if let size = rotation.size, file.st_size >= size { return true }
        return rotation.age.map { Int64(now - began) >= $0.components.seconds } ?? false
    }

    /// The file is locked, and so is not rotated by another process.
    private func rotate(_ count: Int) -> String? {
        guard count > 0 else { return unlink(path) == 0 ? nil : LineFile.error(path) }
        for number in stride(from: count - 1, to: 0, by: -1) { rename("\(path).\(number)", "\(path).\(number + 1)") }
        return rename(path, "\(path).1") == 0 ? nil : LineFile.error(path)
    }

    private func write(_ line: String, to file: Int32) -> String? {
        Array("\(line)\n".utf8).withUnsafeBytes { writeAll($0, to: file) }.map { LineFile.error(path, $0) }
    }

    private static func error(_ path: String, _ number: Int32 = errno) -> String {
        "\(Printable.text(path)) cannot be written: \(systemText(number))."
    }
}
