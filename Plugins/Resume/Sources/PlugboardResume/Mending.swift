import PlugboardKit
import PlugboardRanges

/// The progress of one body, and what is done next when it breaks. It has no effects of its own.
struct Mending: Sendable {
    let body: MendableBody
    let limits: MendingLimits
    let delay: Duration
    let delayLimit: Duration

    /// The bytes that the reader has received.
    private(set) var given = 0
    /// The requests for the rest that failed since the last new byte.
    private var failures = 0
    /// The last byte that the reader has received.
    private var lastByte: UInt8?
    private var hasRenewed = false
    /// The exact number of bytes that the current response still has; nil for the first response.
    private var left: Int?
    /// The number of bytes of the current response to skip, because the reader has them.
    private(set) var skipped = 0
    private var isComparing = false
    private var current = Current.first

    /// The response whose body is read now.
    private enum Current {
        case first
        case whole
        /// A part, with the length of the whole if it is known.
        case part(complete: Int?)
    }

    init(_ body: MendableBody, _ limits: MendingLimits, delay: Duration, delayLimit: Duration) {
        self.body = body
        self.limits = limits
        self.delay = delay
        self.delayLimit = delayLimit
    }

    // MARK: Pieces

    enum Step: Equatable {
        /// The piece goes to the reader as it is.
        case forward
        /// The reader gets the rest of the piece, from this offset.
        case give(from: Int)
        /// The reader has all of the piece already.
        case drop
        /// More bytes are needed, which the source requests.
        case mend
        /// The body cannot be continued.
        case fail(Reason)
    }

    enum Reason: Equatable {
        /// The response does not have the number of bytes that it announced.
        case wrongCount
        /// A repeated byte differs.
        case wrongByte
    }

    mutating func take(_ bytes: UnsafeRawBufferPointer) -> Step {
        if let left {
            guard bytes.count <= left else { return .fail(.wrongCount) }
            self.left = left - bytes.count
        }
        let repeated = min(skipped, bytes.count)
        skipped -= repeated
        if isComparing, repeated > 0, skipped == 0 {
            isComparing = false
            guard bytes[repeated - 1] == lastByte else { return .fail(.wrongByte) }
        }
        if repeated == bytes.count { return bytes.isEmpty ? .forward : .drop }
        given += bytes.count - repeated
        lastByte = bytes.last
        failures = 0
        hasRenewed = false
        return repeated == 0 ? .forward : .give(from: repeated)
    }

    /// The response's body has ended without an error.
    mutating func end() -> Step {
        guard skipped == 0, left == nil || left == 0 else { return .fail(.wrongCount) }
        let limit = body.end ?? body.representation.length
        let position = body.first + given
        switch current {
        // The transport has checked its length.
        case .first: return .forward
        case .whole: return limit == nil || limit == position ? .forward : .fail(.wrongCount)
        case .part(let complete):
            // The server may send a shorter part than was requested (RFC 9110 §15.3.7).
            guard let limit = limit ?? complete else { return .mend }
            return position < limit ? .mend : .forward
        }
    }

    // MARK: Requests

    /// The wait before the next request; nil if there were too many in a row without a new byte.
    mutating func nextDelay() -> Duration? {
        guard failures < limits.attempts else { return nil }
        defer { failures += 1 }
        if failures == 0 { return .zero }
        return min(delay * (1 << min(failures - 1, 20)), delayLimit)
    }

    var policy: RangePolicy { body.policy(after: given) }

    enum Continuation: Equatable {
        case continueBody
        case tryAgain
        /// Sends a request from the first plugin on, without the credentials of the first request.
        case renew
        case changed(String)
        case giveUp
    }

    /// Decides what to do with a response to `request`.
    mutating func receive(_ head: ResponseHead, _ request: RangeRequest, bodyLength: Int?) -> Continuation {
        switch policy.decision(on: head, to: request, bodyLength: bodyLength) {
        case .part(let part):
            current = .part(complete: part.complete)
            left = part.count
            skipped = part.repeated
            isComparing = part.repeated > 0
            return .continueBody
        case .whole(let whole):
            let known = body.representation
            guard whole.validator == known.validator else { return .changed("has another version now") }
            guard whole.coding == known.coding,
                known.length == nil || whole.length == nil || whole.length == known.length,
                body.end == nil, given <= limits.repeated.bytes
            else { return .giveUp }
            current = .whole
            left = whole.length
            skipped = given
            isComparing = given > 0
            return .continueBody
        case .refused(let refusal):
            switch refusal {
            case .otherValidator, .otherLength, .unsatisfiable, .precondition: return .changed(refusal.reason)
            default: return .giveUp
            }
        case .other:
            switch head.status {
            case 401, 403, 407:
                if hasRenewed { return .giveUp }
                hasRenewed = true
                return .renew
            case 408, 425, 429, 500...599: return .tryAgain
            default: return .giveUp
            }
        }
    }
}
