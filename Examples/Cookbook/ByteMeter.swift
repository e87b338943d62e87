import PlugboardKit
import Synchronization

/// Wrapping a body to watch it: publishes how many bytes it had, at its end.
struct ByteMeter: Plugin {
    static let manifest = Manifest(
        id: "com.example.byte-meter", version: "1.0.0", documentation: "Publishes the sizes of bodies.", priority: 60,
        hooks: [.response])

    let host: PluginHost

    init(settings: NoSettings, host: PluginHost) { self.host = host }

    func onResponse(_ exchange: borrowing Exchange) -> ResponseVerdict {
        let id = exchange.id
        exchange.wrapResponseBody { inner in
            MeteredBody(inner) { [host] count in
                host.publish("com.example.byte-meter.read", exchange: id, details: ["bytes": "\(count)"])
            }
        }
        return .next
    }
}

/// Passes each piece on unchanged, without a copy, and counts its bytes.
private final class MeteredBody: BodySource {
    private let inner: InnerBody
    private let count = Mutex(0)
    private let ended: @Sendable (Int) -> Void

    init(_ inner: InnerBody, ended: @escaping @Sendable (Int) -> Void) {
        self.inner = inner
        self.ended = ended
    }

    var length: Int? { inner.length }
    var canRewind: Bool { inner.canRewind }

    func pull(_ pull: Pull) {
        inner.forward(pull) { [self] piece in
            switch piece {
            case .bytes(let bytes): count.withLock { $0 += bytes.count }
            case .end: ended(count.withLock { $0 })
            case .broken: break
            }
        }
    }

    func rewind() -> Bool {
        count.withLock { $0 = 0 }
        return inner.rewind()
    }

    func release() { inner.release() }
}
