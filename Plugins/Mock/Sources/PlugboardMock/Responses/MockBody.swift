import PlugboardKit

/// A body that comes in parts, with pauses between them, and that may break.
///
/// Sendable because the kernel pulls it on the loop, one piece at a time, and its timers fire there.
final class MockBody: BodySource, @unchecked Sendable {
    private let steps: [MockResponse.MockStep]
    private let host: PluginHost
    private var next = 0

    init(_ steps: [MockResponse.MockStep], _ host: PluginHost) { (self.steps, self.host) = (steps, host) }

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
        next = 0
        return true
    }

    func pull(_ pull: Pull) {
        guard next < steps.count else {
            pull.end()
            return
        }
        next += 1
        switch steps[next - 1] {
        case .bytes(let bytes): pull.give(bytes)
        case .pause(let time): host.schedule(after: time) { self.pull(pull) }
        case .end: pull.fail(PlugboardError(.transportReset, "The plugin mock lets the connection break."))
        }
    }

    func release() {}

    /// The same parts no faster than a rate, in tenths of a second.
    static func paced(_ steps: [MockResponse.MockStep], bytesPerSecond rate: Int) -> [MockResponse.MockStep] {
        let size = max(rate / 10, 1)
        var slow: [MockResponse.MockStep] = []
        for step in steps {
            guard case .bytes(let bytes) = step else {
                slow.append(step)
                continue
            }
            for start in stride(from: 0, to: bytes.count, by: size) {
                let part = bytes.withUnsafeBytes { [UInt8]($0[start..<min(start + size, $0.count)]) }
                slow += [.bytes(Bytes(part)), .pause(.milliseconds(100))]
            }
        }
        return slow
    }
}

/// A body that comes no faster than a rate.
///
/// Sendable because the kernel pulls it on the loop, one piece at a time, and its timers fire there.
final class ThrottledBody: BodySource, @unchecked Sendable {
    private let inner: InnerBody
    private let bytesPerSecond: Int
    private let host: PluginHost
    private var given = 0
    private var began: Duration?

    init(_ inner: InnerBody, _ bytesPerSecond: Int, _ host: PluginHost) {
        (self.inner, self.bytesPerSecond, self.host) = (inner, max(bytesPerSecond, 1), host)
    }

    var length: Int? { inner.length }
    var canRewind: Bool { inner.canRewind }

    func rewind() -> Bool { inner.rewind() }

    func pull(_ pull: Pull) {
        let now = host.now
        let began = began ?? now
        self.began = began
        let due = began + .seconds(Double(given) / Double(bytesPerSecond))
        guard due <= now else {
            host.schedule(after: due - now) { self.forward(pull) }
            return
        }
        forward(pull)
    }

    private func forward(_ pull: Pull) {
        inner.forward(pull) { [self] view in
            if case .bytes(let bytes) = view { given += bytes.count }
        }
    }

    func release() { inner.release() }
}
