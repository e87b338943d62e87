import PlugboardKit
import Synchronization

/// The most bytes that a body may decode to: as a number, and as a multiple of the bytes received.
///
/// The sources that undo the codings of one body share it, so the limits hold for each of them.
final class DecodingBudget: Sendable {
    /// The decoded size up to which the ratio does not apply, because short texts compress well.
    static let grace = 1 << 20

    private let limit: Int
    private let ratio: Int
    private let received = Atomic(0)

    /// A limit of nil or a ratio of 0 means no limit.
    init(limit: ByteCount?, ratio: Int) {
        self.limit = limit?.bytes ?? .max
        self.ratio = ratio
    }

    /// Counts bytes received from the network.
    func receive(_ count: Int) { received.wrappingAdd(count, ordering: .relaxed) }

    /// Checks the number of bytes that one source has decoded; the error's reason completes a sentence.
    func check(_ produced: Int) throws(ContentCodingError) {
        guard produced <= limit else {
            throw ContentCodingError(
                "it decodes to more than the \(ByteCount.bytes(limit)) allowed. Raise decode.limit")
        }
        let (allowed, isBeyond) = received.load(ordering: .relaxed).multipliedReportingOverflow(by: ratio)
        guard ratio == 0 || isBeyond || produced <= max(allowed, Self.grace) else {
            throw ContentCodingError(
                "it grows more than \(ratio) times. Raise the setting ratio of decode if the server can be trusted")
        }
    }
}
