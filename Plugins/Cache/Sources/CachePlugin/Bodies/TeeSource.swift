import PlugboardKit

/// A body that is stored while it is read: pieces are appended as they are pulled, and passed on without a copy.
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
