import PlugboardKit
import Synchronization

/// How large a body may become by decoding: in bytes, and measured by what came over the wire.
///
/// Shared by the sources of one body that undo several codings, so that none of them can outgrow the wire.
final class DecodingBudget: Sendable {
    /// So much may come of a few bytes: short texts compress well.
    static let grace = 1 << 20

    private let limit: Int
    private let ratio: Int
    private let received = Atomic(0)

    /// Nil, or a ratio of 0, is no limit.
    init(limit: ByteCount?, ratio: Int) {
        self.limit = limit?.bytes ?? .max
        self.ratio = ratio
    }

    /// Counts bytes as they came over the wire.
    func receive(_ count: Int) { received.wrappingAdd(count, ordering: .relaxed) }

    /// Checks what one source has made so far; the error is the end of a sentence.
    func check(_ produced: Int) throws(ContentCodingError) {
        guard produced <= limit else {
            throw ContentCodingError("it decodes to more than the \(ByteCount.bytes(limit)) allowed. Raise decode.limit")
        }
        let (allowed, isBeyond) = received.load(ordering: .relaxed).multipliedReportingOverflow(by: ratio)
        guard ratio == 0 || isBeyond || produced <= max(allowed, Self.grace) else {
            throw ContentCodingError("it grows more than \(ratio) times. Raise decode's setting ratio if it can be trusted")
        }
    }
}
