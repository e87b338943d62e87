import PlugboardKit

/// A body that comes in parts, with pauses between them, and that may break.
///
/// Sendable because the kernel pulls it on the loop, one piece at a time, and its timers fire there.
final class MockBody: BodySource, @unchecked Sendable {
    private let steps: [MockResponse.MockStep]
    private let host: PluginHost
    /// Nil for a body that comes as fast as it is read.
    private let pace: Pace?
    private var next = 0
    /// How many bytes of the next part were given.
    private var given = 0

    init(_ steps: [MockResponse.MockStep], bytesPerSecond: Int?, _ host: PluginHost) {
        (self.steps, self.host) = (steps, host)
        pace = bytesPerSecond.map { Pace($0) }
    }

    /// Known for a body without a break, so that the reader knows what to expect.
    var length: Int? {
        var length = 0
        for step in steps {
            switch step {
            case .bytes(let bytes): length += bytes.count
            case .pause: break
            case .end: return nil
            }
        }
        return length
    }

    var canRewind: Bool { true }

    func rewind() -> Bool {
        (next, given) = (0, 0)
        return true
    }

    func pull(_ pull: Pull) {
        if let due = pace?.due(at: host.now) {
            host.schedule(after: due) { self.give(pull) }
        } else {
            give(pull)
        }
    }

    private func give(_ pull: Pull) {
        guard next < steps.count else {
            pull.end()
            return
        }
        switch steps[next] {
        case .bytes(let bytes):
            let part = pace.map { $0.part(of: bytes, from: given) } ?? bytes
            given += part.count
            pace?.count(part.count)
            if given == bytes.count { (next, given) = (next + 1, 0) }
            pull.give(part)
        case .pause(let time):
            next += 1
            host.schedule(after: time) { self.give(pull) }
        case .end:
            next += 1
            pull.fail(PlugboardError(.transportReset, "The plugin mock broke the connection, as its rule says."))
        }
    }

    func release() {}
}

/// A body that comes no faster than a rate.
///
/// Sendable because the kernel pulls it on the loop, one piece at a time, and its timers fire there.
final class ThrottledBody: BodySource, @unchecked Sendable {
    private let inner: InnerBody
    private let pace: Pace
    private let host: PluginHost

    init(_ inner: InnerBody, bytesPerSecond: Int, _ host: PluginHost) {
        (self.inner, pace, self.host) = (inner, Pace(bytesPerSecond), host)
    }

    var length: Int? { inner.length }
    var canRewind: Bool { inner.canRewind }

    func rewind() -> Bool { inner.rewind() }

    func pull(_ pull: Pull) {
        if let due = pace.due(at: host.now) {
            host.schedule(after: due) { self.forward(pull) }
        } else {
            forward(pull)
        }
    }

    private func forward(_ pull: Pull) {
        inner.forward(pull) { [pace] view in
            if case .bytes(let bytes) = view { pace.count(bytes.count) }
        }
    }

    func release() { inner.release() }
}

/// Limits the rate of a body. Used on its loop only.
private final class Pace {
    private let bytesPerSecond: Int
    private var given = 0
    private var began: Duration?

    init(_ bytesPerSecond: Int) { self.bytesPerSecond = max(bytesPerSecond, 1) }

    func count(_ bytes: Int) { given += bytes }

    /// The time until the next bytes may come; nil if they may come now.
    func due(at now: Duration) -> Duration? {
        let start = began ?? now
        began = start
        let due = start + .seconds(Double(given) / Double(bytesPerSecond))
        return due > now ? due - now : nil
    }

    /// The bytes that may come in a tenth of a second.
    func part(of bytes: Bytes, from start: Int) -> Bytes {
        let end = min(start + max(bytesPerSecond / 10, 1), bytes.count)
        return start == 0 && end == bytes.count ? bytes : Bytes(bytes.withUnsafeBytes { [UInt8]($0[start..<end]) })
    }
}
