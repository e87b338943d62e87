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
/// places are used again and never freed.
enum LiveNotes {
    /// Whose a file is: a child of `fork` has the list, too, and the notes are its parent's.
    private struct Entry {
        let process: pid_t
        let path: UnsafeMutablePointer<CChar>
    }

    /// A place in the list.
    ///
    /// Sendable because what changes of it is atomic.
    struct Place: @unchecked Sendable {
        fileprivate struct Memory: ~Copyable {
            let entry: Atomic<UnsafeMutablePointer<Entry>?>
            let next: UnsafeMutablePointer<Memory>?
        }

        fileprivate let memory: UnsafeMutablePointer<Memory>

        /// Deletes the file, unless another process has made it. To be called once: the place is then another's.
        func remove() { LiveNotes.remove(memory) }
    }

    private static let first = Atomic<UnsafeMutablePointer<Place.Memory>?>(nil)
    private static let isExiting = Atomic(false)
    /// Once a process, with the first note.
    private static let whenExiting: Void = { _ = atexit { LiveNotes.exit() } }()

    /// Nil if the process is about to exit. From any thread.
    static func add(_ path: String) -> Place? {
        _ = whenExiting
        guard let copy = strdup(path) else { return nil }
        let entry = UnsafeMutablePointer<Entry>.allocate(capacity: 1)
        entry.initialize(to: Entry(process: getpid(), path: copy))
        let place = Place(memory: place(for: entry))
        // After the entry is there: either this sees that `exit` has begun, or `exit` sees the entry.
        guard !isExiting.load(ordering: .sequentiallyConsistent) else {
            place.remove()
            return nil
        }
        return place
    }

    /// Puts an entry into a place that nobody has, or into a new one.
    private static func place(for entry: UnsafeMutablePointer<Entry>) -> UnsafeMutablePointer<Place.Memory> {
        var next = first.load(ordering: .acquiring)
        while let place = next {
            if place.pointee.entry.compareExchange(
                expected: nil, desired: entry, ordering: .sequentiallyConsistent
            ).exchanged {
                return place
            }
            next = place.pointee.next
        }
        let place = UnsafeMutablePointer<Place.Memory>.allocate(capacity: 1)
        var head = first.load(ordering: .acquiring)
        while true {
            place.initialize(to: Place.Memory(entry: Atomic(entry), next: head))
            let (isDone, now) = first.compareExchange(
                expected: head, desired: place, ordering: .sequentiallyConsistent)
            if isDone { return place }
            head = now
        }
    }

    /// Who takes the entry out has it: the note's owner or `exit`, on whatever threads.
    private static func remove(_ place: UnsafeMutablePointer<Place.Memory>) {
        guard let entry = place.pointee.entry.exchange(nil, ordering: .sequentiallyConsistent) else { return }
        if entry.pointee.process == getpid() { unlink(entry.pointee.path) }
        free(entry.pointee.path)
        entry.deallocate()
    }

    private static func exit() {
        isExiting.store(true, ordering: .sequentiallyConsistent)
        var next = first.load(ordering: .acquiring)
        while let place = next {
            remove(place)
            next = place.pointee.next
        }
    }
}
