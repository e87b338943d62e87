import PlugboardBorder
import PlugboardSystem
import Synchronization

/// A file that tells the program's next start which plugin's code was running when the process crashed or was killed.
///
/// `kernel/PROGRAM:PID:TIME` in the data directory has a word for the call under way on each loop (`CallMark`), words
/// for calls on other threads, and names. The process locks it, and removes it when it ends in an orderly way, even by
/// `exit`. So a file that is not locked was left by a process that crashed or was killed.
///
/// Sendable because only atomic words change.
package final class CrashNote: @unchecked Sendable {
    static let sideCount = 31
    private static let loopLimit = 64
    /// Each loop's word has a cache line of its own, so that processors do not exchange one all the time.
    private static let loopStride = 8
    private static let size = (loopLimit * loopStride + sideCount) * 8
    /// The first name, before those of the plugins. Files with another first name are ignored.
    private static let signature = "plugnot4"
    private static let folder = "kernel"
    static let program = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "a program"
    /// The files of this process. Nil once it exits, which is no crash, whatever other threads do meanwhile.
    private static let live = Mutex<Set<String>?>([])
    /// The process that has `live`: a child of `fork` has a copy, and must not remove its parent's files.
    private static let process: pid_t = {
        atexit {
            guard getpid() == CrashNote.process else { return }
            for path in CrashNote.live.withLock({ $0.take() }) ?? [] { unlink(path) }
        }
        return getpid()
    }()

    private let path: String
    private let descriptor: Int32
    private let words: UnsafeMutablePointer<Atomic<UInt64>>

    /// Nil if none can be made, and for linked plugins of a program that has no data directory. Blocks.
    convenience init?(running plugins: [EnabledPlugin], _ configuration: Configuration) {
        let data = DataDirectory(configuration.kernel)
        let hasFolder = configuration.kernel.dataDirectory != nil || data.isThere
        guard !plugins.isEmpty, hasFolder || plugins.contains(where: { $0.linkage != .linked }),
            case .made(let folder) = data.make(CrashNote.folder)
        else { return nil }
        self.init(plugins.map(\.id), in: folder)
    }

    /// - Parameter names: The names of the plugins, by slot: ids, or the path of a file that is loaded.
    init?(_ names: [String], in folder: String, program: String = CrashNote.program) {
        path = "\(folder)/\(program):\(CrashNote.process):\(clockTime(CLOCK_REALTIME))"
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return nil }
        var content = [UInt8](repeating: 0, count: CrashNote.size)
        for name in [CrashNote.signature] + names { content += Array(name.utf8) + [0] }
        // Locked while it is empty, because empty files are left alone. Written in full, because a store to a page for
        // which the disk has no room raises a signal.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, write(descriptor, content, content.count) == content.count,
            let memory = mmap(nil, CrashNote.size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
            memory != MAP_FAILED
        else {
            unlink(path)
            close(descriptor)
            return nil
        }
        // Not initialized: an Atomic<UInt64> consists of the bytes of its value, and these are zero in the file.
        words = memory.bindMemory(to: Atomic<UInt64>.self, capacity: CrashNote.size / 8)
        if CrashNote.live.withLock({ $0?.insert(path) }) == nil { unlink(path) }
    }

    /// Removes the file, because the process ends in an orderly way.
    func remove() {
        if getpid() == CrashNote.process, CrashNote.live.withLock({ $0?.remove(path) }) != nil { unlink(path) }
    }

    deinit {
        remove()
        munmap(words, CrashNote.size)
        close(descriptor)
    }

    /// The word for the calls of the loop of this index.
    func word(ofLoop index: Int) -> UnsafeMutablePointer<Atomic<UInt64>> { words + index * CrashNote.loopStride }

    /// Calls a plugin's function on a thread without a loop. The call is not noted while `sideCount` others are.
    func calling<Result, Failure: Error>(
        _ slot: Int, _ hook: CalledHook, _ call: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let (first, value) = (word(ofLoop: CrashNote.loopLimit), CallMark.Call(slot, hook).word)
        let word = (0..<CrashNote.sideCount).lazy.map { first + $0 }
            .first { $0.pointee.compareExchange(expected: 0, desired: value, ordering: .relaxed).exchanged }
        defer { word?.pointee.store(0, ordering: .relaxed) }
        return try call()
    }

    /// Loads a plugin's file with a note, because its constructors and its entry function are code of the plugin too.
    package static func loading<Result>(
        _ path: String, _ configuration: Configuration, _ load: () throws(PlugboardError) -> Result
    ) throws(PlugboardError) -> Result {
        guard case .made(let folder) = DataDirectory(configuration.kernel).make(folder),
            let note = CrashNote([path], in: folder)
        else { return try load() }
        return try note.calling(0, .load, load)
    }

    /// Logs once in which plugins earlier runs of this program have crashed. A configuration that names no plugins, not
    /// even switched-off ones, logs nothing and leaves the notes. Blocks.
    package static func report(_ configuration: Configuration, to log: KernelLog) {
        if configuration.plugins.isEmpty && configuration.leftOut.isEmpty { return }
        guard let folder = DataDirectory(configuration.kernel).path(of: folder) else { return }
        for sentence in take(from: folder) { log.write(.warning, "kernel", sentence) }
    }

    /// Removes the notes that ended runs of the program have left in a folder, and returns what they say. Blocks.
    static func take(from folder: String, program: String = CrashNote.program) -> [String] {
        names(inFolder: folder).filter { $0.hasPrefix("\(program):") }.compactMap { name in
            let path = "\(folder)/\(name)"
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
            var content = [UInt8](repeating: 0, count: 1 << 17)
            content.removeSubrange(max(read(descriptor, &content, content.count), 0)...)
            // Of several programs that start at once, the one that removes the file reports it.
            guard !content.isEmpty, unlink(path) == 0, case let calls = calls(in: content), !calls.isEmpty,
                let began = name.split(separator: ":").last.flatMap({ Int64($0) })
            else { return nil }
            return "An earlier run of \(Printable.text(program)) (begun \(date(began / 1_000_000_000))) ended – "
                + "crashed or was killed – while \(Printable.text(calls.joined(separator: " and "))). If that happens "
                + "again, switch \(calls.count == 1 ? "that plugin" : "one of them") off (\"enabled\": false in the "
                + "configuration); --safe starts the command without loaded plugins."
        }
    }

    /// `1994-11-06 08:49:37 UTC`.
    private static func date(_ secondsSince1970: Int64) -> String {
        var (time, parts) = (time_t(secondsSince1970), tm())
        gmtime_r(&time, &parts)
        return String(unsafeUninitializedCapacity: 64) { bytes in
            bytes.withMemoryRebound(to: CChar.self) { strftime($0.baseAddress, $0.count, "%F %T UTC", &parts) }
        }
    }

    private static func calls(in content: [UInt8]) -> [String] {
        let names = content.dropFirst(size).split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        guard names.first == signature else { return [] }
        let words = content.prefix(size).withUnsafeBytes { Array($0.bindMemory(to: UInt64.self)) }
        return words.compactMap { CallMark.Call(word: $0) }.compactMap { call in
            guard let name = names.dropFirst(call.slot + 1).first else { return nil }
            return call.hook == .load ? "it loaded the plugin \(name)" : "the plugin \(name) was in \(call.hook)"
        }
    }
}
