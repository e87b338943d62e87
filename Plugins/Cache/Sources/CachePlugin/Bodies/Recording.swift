import PlugboardKit

/// A body on its way into the store, beside whoever reads it.
///
/// Nothing is found until `commit`, which comes only for a body that was seen to its end. Dropping it discards what was written.
/// Sendable because it is touched on the loop only.
final class Recording: @unchecked Sendable {
    /// The head to be stored with the body; may be changed until the commit.
    var answer: StoredAnswer
    /// The entries that it takes the place of.
    let replaced: [CacheEntry]
    private var writer: (any EntryWriter)?
    /// Bytes that the body must have, where that is known.
    private let length: Int?
    private(set) var count = 0
    private var isWhole = false
    /// Runs once, if the store takes no more.
    var refused: (() -> Void)?

    init(_ writer: any EntryWriter, of answer: StoredAnswer, length: Int?, replacing replaced: [CacheEntry]) {
        self.writer = writer
        self.answer = answer
        self.length = length
        self.replaced = replaced
    }

    /// Whether there is still something to be stored.
    var isOpen: Bool { writer != nil }

    func take(_ bytes: UnsafeRawBufferPointer) {
        guard let writer else { return }
        count += bytes.count
        if !writer.append(bytes) { giveUp() }
    }

    /// The body's end has been seen.
    func end() { isWhole = length.map { $0 == count } ?? true }

    /// Nil when the body may go on; else it should wait for the writer.
    var fullWriter: (any EntryWriter)? { writer.flatMap { $0.hasRoom ? nil : $0 } }

    /// The store takes no more, or cannot keep up; the reader must not suffer from it.
    func giveUp() {
        discard()
        let refused = refused
        self.refused = nil
        refused?()
    }

    /// Stores a body whose end has been seen; discards any other. Returns whether it is stored.
    func commit(_ done: @escaping @Sendable (CacheEntry?) -> Void = { _ in }) -> Bool {
        guard isWhole, let writer else {
            discard()
            return false
        }
        self.writer = nil
        writer.commit(answer, replacing: replaced, done)
        return true
    }

    func discard() {
        writer?.discard()
        writer = nil
    }
}
