import PlugboardKit

/// A body on its way into the store, beside whoever reads it.
///
/// Nothing is found until `commit`, which comes only for a body that was seen to its end. Dropping it discards what was written.
/// Sendable because it is touched on the loop only.
final class Recording: @unchecked Sendable {
    private let answer: StoredResponse
    private let replaced: [CacheEntry]
    private var writer: (any EntryWriter)?
    /// How many bytes the body may have in the end.
    private let lengths: ClosedRange<Int>?
    /// More is not stored.
    private let limit: Int
    private var count = 0
    private var isWhole = false
    /// Those who wait for the body, and want to know whether it moves.
    var flight: Flight?
    /// Runs once, if the store takes no more.
    var refused: (() -> Void)?

    init(_ writer: any EntryWriter, of storing: ResponseDecision.Storing, limit: Int) {
        self.writer = writer
        self.limit = limit
        answer = storing.answer
        lengths = storing.lengths
        replaced = storing.replaced
    }

    /// Whether there is still something to be stored.
    var isOpen: Bool { writer != nil }

    func take(_ bytes: UnsafeRawBufferPointer) {
        guard let writer else { return }
        count += bytes.count
        flight?.receive(count)
        if count > limit || !writer.append(bytes) { giveUp() }
    }

    /// The body's end has been seen.
    func end() { isWhole = lengths?.contains(count) ?? true }

    /// Whether the body may go on; else it should wait for the writer.
    var hasRoom: Bool { fullWriter == nil }

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
