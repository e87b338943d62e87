import PlugboardKit
import Synchronization

/// Wrapping a body: breaks off responses that are longer than a limit.
struct BodyLimit: Plugin {
    static let manifest = Manifest(
        id: "com.example.body-limit", version: "1.0.0", documentation: "Breaks off responses that are too long.",
        priority: 340, hooks: [.response])

    struct Settings: PluginSettings {
        @Setting("The longest body that a response may have.") var limit = ByteCount.mebibytes(64)
    }
    let settings: Settings

    init(settings: Settings, host: PluginHost) { self.settings = settings }

    func onResponse(_ exchange: borrowing Exchange) -> ResponseVerdict {
        let limit = settings.limit
        exchange.wrapResponseBody { LimitedBody($0, limit) }
        return .next
    }
}

private final class LimitedBody: BodySource {
    private let inner: InnerBody
    private let limit: ByteCount
    private let count = Mutex(0)

    init(_ inner: InnerBody, _ limit: ByteCount) {
        self.inner = inner
        self.limit = limit
    }

    var length: Int? { inner.length }

    func pull(_ pull: Pull) {
        inner.withPiece { [self] piece in
            switch piece {
            case .bytes(let bytes):
                let isTooLong = count.withLock { count in
                    count += bytes.count
                    return count > limit.bytes
                }
                if isTooLong { pull.fail(tooLong) } else { pull.give(Bytes(copying: bytes)) }
            case .end(let trailers): pull.end(trailers: trailers)
            case .broken(let error): pull.fail(error)
            }
        }
    }

    func release() { inner.release() }

    private var tooLong: PlugboardError {
        PlugboardError("com.example.body-limit.reached", "The response is longer than \(limit). Raise the limit.")
    }
}
