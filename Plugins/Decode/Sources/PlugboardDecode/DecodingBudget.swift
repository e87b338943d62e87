import PlugboardKit
import Synchronization

/// The most bytes that a body may decode to: as a number, and as a multiple of the bytes received.
///
/// The sources that undo the codings of one body share it, so the limits hold for each of them.
final class DecodingBudget: Sendable {
    /// The decoded size up to which the ratio does not apply, because short texts compress well.
    static let grace = 1 << 20
    /// The most times that the input of a coding may be as large as the bytes received and as the bytes it decodes to.
    /// Larger input consists of members, frames and blocks without content, and is made to cost time.
    static let hollowRatio = 16

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

    /// Throws if a body that has taken `consumed` bytes and decoded to `produced` is too large, or has too little
    /// content. The error's reason is the end of a sentence.
    func check(consumed: Int, produced: Int) throws(ContentCodingError) {
        guard produced <= limit else {
            throw ContentCodingError(
                "it decodes to more than the \(ByteCount.bytes(limit)) allowed. Raise decode.limit")
        }
        let received = received.load(ordering: .relaxed)
        if ratio != 0 {
            guard produced <= max(Self.product(received, ratio), Self.grace) else {
                throw ContentCodingError(
                    "it grows more than \(ratio) times. Raise the setting ratio of decode if the server can be trusted")
            }
        }
        guard consumed <= Self.grace + Self.product(max(received, produced), Self.hollowRatio) else {
            throw ContentCodingError("almost nothing of it is content: \(consumed) bytes decode to \(produced)")
        }
    }

    /// The largest number if the product is larger.
    private static func product(_ count: Int, _ factor: Int) -> Int {
        let (product, overflow) = count.multipliedReportingOverflow(by: factor)
        return overflow ? .max - grace : product
    }
}
