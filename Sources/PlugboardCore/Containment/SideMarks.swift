import Synchronization

/// Which plugins' code runs on other threads than the loops: one word of a note for each call under way, as long as
/// there are words left.
///
/// A note does not tell in which thread a crash was, so the report names all calls under way.
///
/// Sendable because the words are atomic, and the note keeps their memory.
struct SideMarks: @unchecked Sendable {
    private let note: CrashNote

    init(in note: CrashNote) { self.note = note }

    /// Calls a plugin's function, on any thread but those of the loops.
    func calling<Result, Failure: Error>(
        _ slot: Int, _ hook: CalledHook, _ call: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let word = claim(CallMark.Call(slot, hook).word)
        defer { word?.pointee.store(0, ordering: .relaxed) }
        return try call()
    }

    /// Nil while more calls are under way than there are words: those calls are not marked.
    private func claim(_ value: UInt64) -> UnsafeMutablePointer<Atomic<UInt64>>? {
        for word in note.sideWords {
            if word.pointee.compareExchange(expected: 0, desired: value, ordering: .relaxed).exchanged { return word }
        }
        return nil
    }
}
