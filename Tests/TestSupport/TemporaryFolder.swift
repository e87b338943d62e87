import Foundation
import Synchronization

/// A new folder, readable by its owner only, that is removed with its contents when the object is released.
package final class TemporaryFolder: Sendable {
    package let path: String

    /// Makes the folder under `TMPDIR` or `/tmp`, or in another folder.
    package init(_ name: String = "plugboard", in other: String? = nil) throws {
        let parent = other ?? ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        var template = Array("\(parent)/\(name)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError.failed("mkdtemp", errno) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { remove() }

    /// The path of an entry, whether it exists or not.
    package func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file, makes missing folders, and returns its path.
    @discardableResult package func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
        let url = URL(fileURLWithPath: file(name))
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
        return url.path
    }

    /// Writes a file as UTF-8, makes missing folders, and returns its path.
    @discardableResult package func write(_ name: String, _ text: String) throws -> String {
        try write(name, text.utf8)
    }

    /// All bytes of a file.
    package func read(_ name: String) throws -> [UInt8] {
        // Not with Data, which leaks its buffer for an empty file: the leak checker must find only our own leaks.
        let descriptor = open(file(name), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError.failed("open \(file(name))", errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &piece, piece.count)
            guard count >= 0 else { throw SystemError.failed("read \(file(name))", errno) }
            if count == 0 { return bytes }
            bytes += piece[..<count]
        }
    }

    /// The names of the entries, sorted.
    package func entries() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    /// Removes the folder now. Best effort: the system cleans up the rest.
    package func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Removes the folder at the end of the process, for objects that are never released.
    func removeAtExit() {
        let isFirst = TemporaryFolder.leftovers.withLock { paths in
            paths.append(path)
            return paths.count == 1
        }
        if isFirst {
            atexit {
                for path in TemporaryFolder.leftovers.withLock({ $0 }) {
                    try? FileManager.default.removeItem(atPath: path)
                }
            }
        }
    }

    private static let leftovers = Mutex<[String]>([])
}
