import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file that says whose code a process runs: what is left of it after a crash names the plugin.
///
/// `FOLDER/running-PID-N`: `signature`, the words of the calls under way (`CallMark`'s, then those of `SideMarks`), then the names
/// that they stand for. The process holds a lock on it as long as it lives, and removes it when there is nothing to tell; so one
/// that nobody locks is a dead process's. It gets that name only when it is locked and whole; up to then it is `new-PID-N`.
///
/// Sendable because nothing in it changes but the words, which are atomic.
final class CrashNote: @unchecked Sendable {
    /// Of the loop, and of up to 31 calls beside it.
    static let wordCount = 32
    /// As many bytes as a word. A note of another form is nobody's.
    private static let signature = Array("plugnot1".utf8)
    private static let headSize = (1 + wordCount) * 8
    /// More than any name or number of plugins needs.
    private static let sizeLimit = 1 << 20

    private let path: String
    private let descriptor: Int32
    private let memory: UnsafeMutableRawPointer
    private let size: Int
    /// The words of the calls; 0 where none is under way.
    let words: UnsafeMutablePointer<Atomic<UInt64>>

    /// Nil where such a file cannot be: it is a help, and no more. Blocks.
    /// - Parameter names: What calls name by their place: ids of plugins, or paths.
    init?(folder: String, names: [String]) {
        var content = CrashNote.signature + [UInt8](repeating: 0, count: CrashNote.wordCount * 8)
        for name in names { content += Array(name.utf8.filter { $0 != 0 }) + [0] }
        guard content.count <= CrashNote.sizeLimit else { return nil }
        var made: (path: String, descriptor: Int32)?
        for _ in 0..<3 where made == nil { made = CrashNote.make(folder, content) }
        guard let made else { return nil }
        size = content.count
        (path, descriptor) = made
        guard let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), memory != MAP_FAILED
        else {
            unlink(path)
            close(descriptor)
            return nil
        }
        self.memory = memory
        words = (memory + 8).bindMemory(to: Atomic<UInt64>.self, capacity: CrashNote.wordCount)
        for index in 0..<CrashNote.wordCount { (words + index).initialize(to: Atomic(0)) }
    }

    /// A file that is locked before it has the name that others look for. Nil too if another start has swept it away before it was locked.
    private static func make(_ folder: String, _ content: [UInt8]) -> (path: String, descriptor: Int32)? {
        let name = "\(getpid())-\(UInt32.random(in: .min ... .max))"
        let (new, path) = ("\(folder)/new-\(name)", "\(folder)/running-\(name)")
        let descriptor = open(new, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return nil }
        // Written, so that the disk has the room: a store to a page without is a signal.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, write(descriptor, content, content.count) == content.count,
            rename(new, path) == 0
        else {
            unlink(new)
            close(descriptor)
            return nil
        }
        return (path, descriptor)
    }

    /// Takes the file away: there is nothing to tell.
    func remove() { unlink(path) }

    deinit {
        remove()
        munmap(memory, size)
        close(descriptor)
    }

    // MARK: What is left

    /// A call that was under way when its process ended.
    struct Finding: Equatable, Sendable {
        /// The plugin's id; of a file that was being loaded its path.
        let plugin: String
        let hook: CalledHook
    }

    /// Takes away what dead processes have left in a folder, and tells what each was in. Blocks.
    static func collect(folder: String) -> [[Finding]] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var findings: [[Finding]] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name.hasPrefix("running-") || name.hasPrefix("new-") else { continue }
            let found = take("\(folder)/\(name)")
            if !found.isEmpty && name.hasPrefix("running-") { findings.append(found) }
        }
        return findings
    }

    private static func take(_ path: String) -> [Finding] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var status = stat()
        // Of several starts at once, the one that takes it away tells.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &status) == 0, unlink(path) == 0,
            status.st_size >= headSize, status.st_size <= sizeLimit
        else { return [] }
        var content = [UInt8](repeating: 0, count: Int(status.st_size))
        guard read(descriptor, &content, content.count) == content.count, content.starts(with: signature) else {
            return []
        }
        let names = content[headSize...].split(separator: 0, omittingEmptySubsequences: false)
        return (1...wordCount).compactMap { index in
            let bytes = content[(index * 8)..<(index * 8 + 8)]
            let word = bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
            guard let call = CallMark.Call(word: word), call.place < names.count else { return nil }
            return Finding(plugin: String(decoding: names[call.place], as: UTF8.self), hook: call.hook)
        }
    }
}
