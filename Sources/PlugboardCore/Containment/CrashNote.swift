import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file that says whose code a process runs: what is left of it after a crash names the plugin.
///
/// `FOLDER/running-PID-N`: `signature`, the words of the calls under way (`CallMark`'s, then those of `SideMarks`), when the note was made,
/// then the program's name and the names that the calls stand for. The process holds a lock on it as long as it lives, and removes it when
/// there is nothing to tell, at the latest in `exit`; so one that nobody locks is of a process that crashed or was killed. It gets that name
/// only when it is locked and whole; up to then it is `new-PID-N`.
///
/// It lies with the data, though calls make its page dirty and the system writes that back: 4 KiB every half a minute at most, while there
/// is work. A folder of the session (`$XDG_RUNTIME_DIR`) is in memory, but services and containers have none, and it goes with the user's
/// last session, as a container's memory goes with a crash: just when somebody wants to read it.
///
/// Sendable because nothing in it changes but what is atomic.
final class CrashNote: @unchecked Sendable {
    /// Of the loop, and of up to 31 calls beside it.
    static let wordCount = 32
    /// As many bytes as a word. A note of another form is nobody's.
    static let signature = Array("plugnot2".utf8)
    /// Of what stands before the names.
    static let headSize = (2 + wordCount) * 8
    /// More than any name or number of plugins needs.
    static let sizeLimit = 1 << 20

    private let descriptor: Int32
    private let memory: UnsafeMutableRawPointer
    private let size: Int
    private let live: LiveNotes.Slot
    private let isRemoved = Atomic(false)
    /// The words of the calls; 0 where none is under way.
    let words: UnsafeMutablePointer<Atomic<UInt64>>

    /// Nil where such a file cannot be: it is a help, and no more. Blocks.
    /// - Parameters:
    ///   - names: What calls name by their slot: ids of plugins, or paths.
    ///   - program: Who is told of it (`CrashReport.take`).
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
    func remove() {
        if !isRemoved.exchange(true, ordering: .relaxed) { live.remove() }
    }

    deinit {
        remove()
        munmap(memory, size)
        close(descriptor)
    }
}
