import Synchronization

/// Bytes in memory; they can be rewound.
final class MemorySource: BodySource {
    private let bytes: Bytes
    private let isGiven = Mutex(false)

    init(_ bytes: Bytes) { self.bytes = bytes }

    var length: Int? { bytes.count }
    var canRewind: Bool { true }

    func nextIfReady() -> Piece? {
        isGiven.withLock { isGiven in
            if isGiven || bytes.isEmpty { return .end(trailers: Fields()) }
            isGiven = true
            return .bytes(bytes)
        }
    }

    /// The bytes, if they were not given.
    var unread: Bytes? { isGiven.withLock { $0 ? nil : bytes } }

    func pull(_ pull: Pull) {
        if let piece = nextIfReady() { pull.complete(piece) }
    }

    func copy() -> (any BodySource)? { MemorySource(bytes) }

    func rewind() -> Bool {
        isGiven.withLock { $0 = false }
        return true
    }
}
