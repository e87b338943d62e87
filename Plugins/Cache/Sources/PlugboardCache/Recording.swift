import PlugboardKit

/// Stores a body while another source delivers it to its reader.
///
/// The entry cannot be found until `commit`, which succeeds only after the body's end. Releasing the recording discards
/// what was written. Sendable because it is used on the loop only.
final class Recording: @unchecked Sendable {
    private let storing: ResponseDecision.Storing
    private var writer: (any EntryWriter)?
    /// The most bytes that are stored.
    private let limit: Int
    private var count = 0
    private var isWhole = false
    /// The flight whose waiting requests check whether the body grows.
    var flight: Flight?
    /// Ends the flight if the store refuses the body; nil if the caller ends it.
    var flights: Flights?

    init(_ writer: any EntryWriter, of storing: ResponseDecision.Storing, limit: Int) {
        self.writer = writer
        self.limit = limit
        self.storing = storing
    }

    /// Whether the body is still being stored.
    var isOpen: Bool { writer != nil }

    func take(_ bytes: UnsafeRawBufferPointer) {
        guard let writer else { return }
        count += bytes.count
        flight?.receive(count)
        if count > limit || !writer.append(bytes) { giveUp() }
    }

    /// Called at the body's end.
    func end() { isWhole = storing.lengths?.contains(count) ?? true }

    /// Whether the body may continue without waiting for the writer.
    var hasRoom: Bool { fullWriter == nil }

    var fullWriter: (any EntryWriter)? { writer.flatMap { $0.hasRoom ? nil : $0 } }

    /// Stops storing, because the store refuses the body or is too slow; the reader is not affected.
    func giveUp() {
        discard()
        if let flight { flights?.end(flight, .fruitless) }
    }

    /// Stores a complete body, discards any other, and returns whether it is stored.
    func commit(_ done: @escaping @Sendable (CacheEntry?) -> Void = { _ in }) -> Bool {
        guard isWhole, let writer else {
            discard()
            return false
        }
        self.writer = nil
        writer.commit(storing.head, replacing: storing.replaced, done)
        return true
    }

    func discard() {
        writer?.discard()
        writer = nil
    }
}

/// Limits the speed of a body to that of the store.
extension Recording {
    /// The longest time that a body waits for the store. After that, the body continues without being stored.
    private static let patience: Duration = .seconds(1)

    /// Records a piece.
    func look(_ view: borrowing InnerBody.View) {
        switch view {
        case .bytes(let bytes): take(bytes)
        case .end: end()
        case .broken: discard()
        }
    }

    /// Calls `goOn` when the store has room, or after the patience; on the loop, once, and after this call has
    /// returned.
    func whenReady(_ host: PluginHost, _ goOn: @escaping () -> Void) {
        let turn = Once(goOn)
        guard let writer = fullWriter else {
            host.schedule(after: .zero) { turn.run(after: {}) }
            return
        }
        let loop = host.currentLoop
        let timer = host.schedule(after: Recording.patience) { turn.run(after: { self.giveUp() }) }
        writer.room {
            host.schedule(after: .zero, on: loop) { turn.run(after: { timer.cancel() }) }
        }
    }
}

/// Runs its action once. Sendable because it is used on the loop only.
private final class Once: @unchecked Sendable {
    private var action: (() -> Void)?

    init(_ action: @escaping () -> Void) { self.action = action }

    func run(after first: () -> Void) {
        guard let action else { return }
        self.action = nil
        first()
        action()
    }
}

/// A body that is stored while it is read: each pulled piece is recorded, and passed on without a copy.
///
/// Sendable because everything but `release` is called on the loop only.
final class TeeSource: BodySource, @unchecked Sendable {
    private let inner: InnerBody
    private let recording: Recording
    private let host: PluginHost

    init(_ inner: InnerBody, into recording: Recording, host: PluginHost) {
        self.inner = inner
        self.recording = recording
        self.host = host
    }

    var length: Int? { inner.length }

    func pull(_ pull: Pull) {
        if recording.hasRoom { forward(pull) } else { recording.whenReady(host) { self.forward(pull) } }
    }

    private func forward(_ pull: Pull) {
        inner.forward(pull) { [recording] view in recording.look(view) }
    }

    func release() { inner.release() }
}
