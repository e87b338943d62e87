import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file that says which plugin's code a process runs, so that it names the plugin after a crash.
///
/// The file is `FOLDER/running-PID-N`. It holds `signature`, the words of the calls under way (one of `CallMark`, then
/// those of `SideMarks`), the time when it was made, the program's name, and the names of the plugins that calls refer
/// to. The process locks it, and removes it when it ends in an orderly way, at the latest in `exit`. So a file that is
/// not locked was left by a process that crashed or was killed. It gets its name only when it is locked and complete;
/// until then it is `new-PID-N`.
///
/// It is in the data directory, although every call changes its page and the system writes that back: at most 4 KiB
/// every half a minute, while there is work. A folder in memory (`$XDG_RUNTIME_DIR`) would cost nothing, but services
/// and containers have none, and it is deleted with the user's last session or with the container, before anyone reads
/// it.
///
/// Sendable because only atomic words change.
final class CrashNote: @unchecked Sendable {
    /// One word for the loop, and 31 for calls on other threads.
    static let wordCount = 32
    /// Eight bytes, as many as a word. A file with another signature is ignored.
    static let signature = Array("plugnot2".utf8)
    /// The number of bytes before the names.
    static let headSize = (2 + wordCount) * 8
    /// More bytes than any names of plugins need.
    static let sizeLimit = 1 << 20

    private let descriptor: Int32
    private let memory: UnsafeMutableRawPointer
    private let size: Int
    private let live: LiveNotes.Entry
    private let isRemoved = Atomic(false)
    /// The words of the calls; 0 for no call.
    let words: UnsafeMutablePointer<Atomic<UInt64>>

    /// Nil if no such file can be made: plugins run without it. Blocks.
    ///
    /// - Parameters:
    ///   - names: The names of the plugins, by slot: ids, or paths of files that are loaded.
    ///   - program: The program whose next run reads the file (`CrashReport.take`).
    init?(folder: String, names: [String], program: String = RunningProgram.name) {
        var content = CrashNote.signature + [UInt8](repeating: 0, count: CrashNote.wordCount * 8)
        let began = clockTime(CLOCK_REALTIME) / 1_000_000_000
        withUnsafeBytes(of: began) { content += $0 }
        for name in [program] + names { content += Array(name.utf8.filter { $0 != 0 }) + [0] }
        guard content.count <= CrashNote.sizeLimit else { return nil }
        var made: (path: String, descriptor: Int32)?
        for _ in 0..<3 where made == nil { made = CrashNote.make(folder, content) }
        guard let made else { return nil }
        guard let live = LiveNotes.add(made.path) else {
            unlink(made.path)
            close(made.descriptor)
            return nil
        }
        self.live = live
        size = content.count
        descriptor = made.descriptor
        guard let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), memory != MAP_FAILED
        else {
            live.remove()
            close(descriptor)
            return nil
        }
        self.memory = memory
        words = (memory + 8).bindMemory(to: Atomic<UInt64>.self, capacity: CrashNote.wordCount)
        for index in 0..<CrashNote.wordCount { (words + index).initialize(to: Atomic(0)) }
    }

    /// Makes a file that is locked before it has the name that other processes look for. Nil also if another process
    /// has removed it before it was locked.
    private static func make(_ folder: String, _ content: [UInt8]) -> (path: String, descriptor: Int32)? {
        let name = "\(getpid())-\(UInt32.random(in: .min ... .max))"
        let (new, path) = ("\(folder)/new-\(name)", "\(folder)/running-\(name)")
        let descriptor = open(new, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return nil }
        // Written, so that the disk has room for it: a store to a mapped page without room raises a signal.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, write(descriptor, content, content.count) == content.count,
            rename(new, path) == 0
        else {
            unlink(new)
            close(descriptor)
            return nil
        }
        return (path, descriptor)
    }

    /// Deletes the file: the process ends in an orderly way.
    func remove() {
        if !isRemoved.exchange(true, ordering: .relaxed) { live.remove() }
    }

    deinit {
        remove()
        munmap(memory, size)
        close(descriptor)
    }
}
