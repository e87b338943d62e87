#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A page of a file that says whose code the loop runs: what is left of it after a crash names the plugin.
///
/// `FOLDER/running-PID-N`: the words of the `CallMark`s, then the plugins' ids, a line each. The process holds a lock on it as long as it lives, and removes it when
/// the kernel ends; so one that nobody locks is a dead process's.
///
/// Sendable because nothing in it changes but the mark's word.
final class CrashNote: @unchecked Sendable {
    private static let size = 4096
    static let wordSize = 8
    /// The words of two marks: the loop's, and that of starts and stops.
    private static let wordsSize = 2 * wordSize

    private let path: String
    private let descriptor: Int32
    let memory: UnsafeMutableRawPointer

    /// What an earlier process ended with.
    struct Finding: Equatable, Sendable {
        let plugin: String
        let hook: CalledHook
    }

    /// Nil where such a file cannot be: it is a help, and no more.
    init?(folder: String, ids: [String]) {
        let path = "\(folder)/running-\(getpid())-\(UInt32.random(in: .min ... .max))"
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return nil }
        self.path = path
        self.descriptor = descriptor
        var page = [UInt8](repeating: 0, count: CrashNote.wordsSize)
        page += ids.joined(separator: "\n").utf8
        page = Array(page.prefix(CrashNote.size))
        page += [UInt8](repeating: 0, count: CrashNote.size - page.count)
        // Written, so that the disk has the room: a store to a page without is a signal.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, write(descriptor, page, page.count) == page.count,
            let memory = mmap(nil, CrashNote.size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
            memory != MAP_FAILED
        else {
            close(descriptor)
            unlink(path)
            return nil
        }
        self.memory = memory
    }

    /// Takes the file away: there is nothing to tell.
    func remove() { unlink(path) }

    deinit {
        remove()
        munmap(memory, CrashNote.size)
        close(descriptor)
    }

    /// Takes away what dead processes have left in a folder, and tells what it says. Blocks.
    static func collect(folder: String) -> [Finding] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var findings: [Finding] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name.hasPrefix("running-") else { continue }
            if let finding = take("\(folder)/\(name)") { findings.append(finding) }
        }
        return findings
    }

    private static func take(_ path: String) -> Finding? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
        var page = [UInt8](repeating: 0, count: size)
        let count = read(descriptor, &page, size)
        unlink(path)
        guard count > wordsSize else { return nil }
        let calls = [page[wordSize..<wordsSize], page[..<wordSize]].lazy.compactMap { bytes in
            CallMark.Call(word: bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        }
        guard let call = calls.first else { return nil }
        let ids = page[wordsSize..<count].prefix { $0 != 0 }.split(separator: UInt8(ascii: "\n"))
        guard call.place < ids.count else { return nil }
        return Finding(plugin: String(decoding: ids[call.place], as: UTF8.self), hook: call.hook)
    }
}
