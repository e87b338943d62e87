import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The notes of this process that are there now, so that `exit` takes them away: to end that way is no crash, whatever runs beside it.
///
/// A program that returns from `main` without `shutDown` may still be within a plugin's `stop`, or within a hook. What ends the process
/// later, in destructors of files, is not told either: nobody knows then what of the plugins is still there.
///
/// A list without locks, for threads run on while `exit` does, and a child of `fork` has none of the threads that might hold one. Its
/// slots are used again and never freed.
enum LiveNotes {
    /// Whose a file is: a child of `fork` has the list, too, and the notes are its parent's.
    private final class File: Sendable {
        private let process = getpid()
        private let path: String

        init(_ path: String) { self.path = path }

        func remove() { if process == getpid() { unlink(path) } }
    }

    /// A slot in the list.
    final class Slot: Sendable {
        private let file: Atomic<Unmanaged<File>?>
        fileprivate let next: Unmanaged<Slot>?

        fileprivate init(_ path: String, before next: Unmanaged<Slot>?) {
            file = Atomic(Unmanaged.passRetained(File(path)))
            self.next = next
        }

        deinit { file.load(ordering: .relaxed)?.release() }

        /// False if it is another's.
        fileprivate func take(_ path: String) -> Bool {
            let new = Unmanaged.passRetained(File(path))
            let isTaken = file.compareExchange(expected: nil, desired: new, ordering: .sequentiallyConsistent).exchanged
            if !isTaken { new.release() }
            return isTaken
        }

        /// Deletes the file, unless another process has made it. To be called once: the slot is then another's.
        func remove() {
            // Of the note's owner and `exit`, on whatever threads, one gets it.
            file.exchange(nil, ordering: .sequentiallyConsistent)?.takeRetainedValue().remove()
        }
    }

    private static let first = Atomic<Unmanaged<Slot>?>(nil)
    private static let isExiting = Atomic(false)
    /// Once a process, with the first note.
    private static let whenExiting: Void = { _ = atexit { LiveNotes.exit() } }()

    /// Nil if the process is about to exit; the file is then deleted. From any thread.
    static func add(_ path: String) -> Slot? {
        _ = whenExiting
        let slot = take(path)
        // After it stands in the list: either this sees that `exit` has begun, or `exit` sees the file.
        guard isExiting.load(ordering: .sequentiallyConsistent) else { return slot }
        slot.remove()
        return nil
    }

    private static func take(_ path: String) -> Slot {
        var next = first.load(ordering: .sequentiallyConsistent)
        while let slot = next?.takeUnretainedValue() {
            if slot.take(path) { return slot }
            next = slot.next
        }
        var head = first.load(ordering: .sequentiallyConsistent)
        while true {
            let slot = Slot(path, before: head)
            let new = Unmanaged.passRetained(slot)
            let (isDone, now) = first.compareExchange(
                expected: head, desired: new, ordering: .sequentiallyConsistent)
            if isDone { return slot }
            new.release()
            head = now
        }
    }

    private static func exit() {
        isExiting.store(true, ordering: .sequentiallyConsistent)
        var next = first.load(ordering: .sequentiallyConsistent)
        while let slot = next?.takeUnretainedValue() {
            slot.remove()
            next = slot.next
        }
    }
}
