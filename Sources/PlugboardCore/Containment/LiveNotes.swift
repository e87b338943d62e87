import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The notes of this process that exist now, so that `exit` deletes them: a process that ends by `exit` has not
/// crashed, whatever its other threads do.
///
/// A program that returns from `main` without `shutDown` may still run a plugin's `stop`, or a hook. A crash after
/// that, in destructors of files, is not reported: by then it is not known which plugins still exist.
///
/// A list without locks: other threads run on during `exit`, and in a child of `fork` the thread that holds a lock does
/// not exist. Its entries are used again and never freed.
enum LiveNotes {
    /// A note's file. Only the process that made it deletes it: a child of `fork` has the list too.
    private final class File: Sendable {
        private let process = getpid()
        private let path: String

        init(_ path: String) { self.path = path }

        func remove() { if process == getpid() { unlink(path) } }
    }

    /// An entry of the list.
    final class Entry: Sendable {
        private let file: Atomic<Unmanaged<File>?>
        fileprivate let next: Unmanaged<Entry>?

        fileprivate init(_ path: String, before next: Unmanaged<Entry>?) {
            file = Atomic(Unmanaged.passRetained(File(path)))
            self.next = next
        }

        deinit { file.load(ordering: .relaxed)?.release() }

        /// False if the entry is in use.
        fileprivate func take(_ path: String) -> Bool {
            let new = Unmanaged.passRetained(File(path))
            let isTaken = file.compareExchange(expected: nil, desired: new, ordering: .sequentiallyConsistent).exchanged
            if !isTaken { new.release() }
            return isTaken
        }

        /// Deletes the file, unless another process has made it. Called once: the entry is then used for another file.
        func remove() {
            // The note's owner and `exit` may both come here, on different threads: one of them gets the file.
            file.exchange(nil, ordering: .sequentiallyConsistent)?.takeRetainedValue().remove()
        }
    }

    private static let first = Atomic<Unmanaged<Entry>?>(nil)
    private static let isExiting = Atomic(false)
    /// Registered once in a process, with the first note.
    private static let whenExiting: Void = { _ = atexit { LiveNotes.exit() } }()

    /// Nil if the process is about to exit; the file is then deleted. [any]
    static func add(_ path: String) -> Entry? {
        _ = whenExiting
        let entry = take(path)
        // Only now, when it is in the list: either this sees that `exit` has begun, or `exit` sees the file.
        guard isExiting.load(ordering: .sequentiallyConsistent) else { return entry }
        entry.remove()
        return nil
    }

    private static func take(_ path: String) -> Entry {
        var next = first.load(ordering: .sequentiallyConsistent)
        while let entry = next?.takeUnretainedValue() {
            if entry.take(path) { return entry }
            next = entry.next
        }
        var head = first.load(ordering: .sequentiallyConsistent)
        while true {
            let entry = Entry(path, before: head)
            let new = Unmanaged.passRetained(entry)
            let (isDone, now) = first.compareExchange(
                expected: head, desired: new, ordering: .sequentiallyConsistent)
            if isDone { return entry }
            new.release()
            head = now
        }
    }

    private static func exit() {
        isExiting.store(true, ordering: .sequentiallyConsistent)
        var next = first.load(ordering: .sequentiallyConsistent)
        while let entry = next?.takeUnretainedValue() {
            entry.remove()
            next = entry.next
        }
    }
}
