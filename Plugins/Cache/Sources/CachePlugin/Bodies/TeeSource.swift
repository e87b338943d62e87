import PlugboardKit

/// A body that is stored while it is read: pieces are appended as they are pulled, and passed on without a copy.
///
/// While the store has no room the body waits, but not longer than `patience`: then it flows on unstored.
/// Sendable because everything but `release` is called on the loop only.
final class TeeSource: BodySource, @unchecked Sendable {
    static let patience: Duration = .seconds(1)

    private let inner: InnerBody
    private let recording: Recording
    private let host: Host

    init(_ inner: InnerBody, into recording: Recording, host: Host) {
        self.inner = inner
        self.recording = recording
        self.host = host
    }

    var length: Int? { inner.length }

    func pull(_ pull: Pull) {
        if let writer = recording.fullWriter {
            wait(for: writer) { self.forward(pull) }
        } else {
            forward(pull)
        }
    }

    private func forward(_ pull: Pull) {
        inner.forward(pull) { [recording] view in recording.look(view) }
    }

    /// Goes on when there is room, or when the patience is over; on the loop, once.
    private func wait(for writer: any EntryWriter, _ goOn: @escaping () -> Void) {
        let turn = Once(goOn)
        let timer = host.schedule(after: TeeSource.patience) { [recording] in
            turn.run(after: { recording.giveUp() })
        }
        writer.room { [host] in
            host.schedule(after: .zero) { turn.run(after: { timer.cancel() }) }
        }
    }

    func release() { inner.release() }
}

/// Runs something the first time it is asked. Sendable because it is touched on the loop only.
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

extension Recording {
    /// Takes what a pull brought.
    func look(_ view: borrowing InnerBody.View) {
        switch view {
        case .bytes(let bytes): take(bytes)
        case .end: end()
        case .broken: discard()
        }
    }
}
