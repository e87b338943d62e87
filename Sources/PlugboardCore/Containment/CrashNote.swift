import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file that says which plugin's code a process runs, so that it names the plugin after a crash.
///
/// The file is `FOLDER/running-PID-N`. It holds `signature`, the number of words that follow, the words of the calls
/// under way (one of `CallMark` for each loop, then those of `SideMarks`), the time when it was made, the program's
/// name, and the names of the plugins that calls refer to. The process locks it, and removes it when it ends in an
/// orderly way, at the latest in `exit`. So a file that is not locked was left by a process that crashed or was killed.
/// It gets its name only when it is locked and complete; until then it is `new-PID-N`.
///
/// It is in the data directory, although every call changes its page and the system writes that back: at most a few
/// pages every half a minute, while there is work. A folder in memory (`$XDG_RUNTIME_DIR`) would cost nothing, but
/// services and containers have none, and it is deleted with the user's last session or with the container, before
/// anyone reads it.
///
/// Sendable because only atomic words change.
final class CrashNote: @unchecked Sendable {
    /// How many words there are for calls on other threads than those of the loops.
    static let sideCount = 31
    /// The distance between the words of two loops, so that processors do not exchange one line of memory all the time.
    private static let loopStride = 8
    /// Eight bytes, as many as a word. A file with another signature is ignored.
    static let signature = Array("plugnot3".utf8)
    /// The number of bytes before the names.
    static func headSize(_ wordCount: Int) -> Int { (3 + wordCount) * 8 }
    /// More bytes than any names of plugins need.
    static let sizeLimit = 1 << 20

    private let descriptor: Int32
    private let memory: UnsafeMutableRawPointer
    private let size: Int
    private let live: LiveNotes.Entry
    private let isRemoved = Atomic(false)
    private let loopCount: Int
    /// The words of the calls; 0 for no call.
    private let words: UnsafeMutablePointer<Atomic<UInt64>>

    /// The word for the calls of the loop of this index.
    func word(ofLoop index: Int) -> UnsafeMutablePointer<Atomic<UInt64>> { words + index * CrashNote.loopStride }

    /// The words for calls on other threads.
    var sideWords: LazyMapSequence<Range<Int>, UnsafeMutablePointer<Atomic<UInt64>>> {
        let first = words + loopCount * CrashNote.loopStride
        return (0..<CrashNote.sideCount).lazy.map { first + $0 }
    }

    /// Nil if no such file can be made: plugins run without it. Blocks.
    ///
    /// - Parameters:
    ///   - names: The names of the plugins, by slot: ids, or paths of files that are loaded.
    ///   - program: The program whose next run reads the file (`CrashReport.take`).
    ///   - loops: How many loops call plugins.
    init?(folder: String, names: [String], program: String = RunningProgram.name, loops: Int = 1) {
        let wordCount = loops * CrashNote.loopStride + CrashNote.sideCount
        var content = CrashNote.signature
        withUnsafeBytes(of: UInt64(wordCount)) { content += $0 }
        content += [UInt8](repeating: 0, count: wordCount * 8)
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
        loopCount = loops
        size = content.count
        descriptor = made.descriptor
        guard let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), memory != MAP_FAILED
        else {
            live.remove()
            close(descriptor)
            return nil
        }
        self.memory = memory
        words = (memory + 16).bindMemory(to: Atomic<UInt64>.self, capacity: wordCount)
        for index in 0..<wordCount { (words + index).initialize(to: Atomic(0)) }
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
