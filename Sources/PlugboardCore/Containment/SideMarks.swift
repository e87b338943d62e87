import Synchronization

/// Which plugins' code runs beside the loop: a word of a note for each call under way, as far as there are words.
///
/// A crash says nothing of its thread, so the note of one names all that were under way.
///
/// Sendable because the words are atomic, and the note keeps their memory.
struct SideMarks: @unchecked Sendable {
    private let note: CrashNote

    init(in note: CrashNote) { self.note = note }

    /// Calls a plugin's function, from any thread but the loop's.
    func calling<Result, Failure: Error>(
        _ slot: Int, _ hook: CalledHook, _ call: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let word = claim(CallMark.Call(slot, hook).word)
        defer { word?.pointee.store(0, ordering: .relaxed) }
        return try call()
    }

    /// Nil while more calls are under way than there are words: what is marked is a help, and no more.
    private func claim(_ value: UInt64) -> UnsafeMutablePointer<Atomic<UInt64>>? {
        for index in 1..<CrashNote.wordCount {
            let word = note.words + index
            if word.pointee.compareExchange(expected: 0, desired: value, ordering: .relaxed).exchanged { return word }
        }
        return nil
    }
}
