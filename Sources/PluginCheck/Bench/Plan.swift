import PlugboardKit

/// One exchange as planned: the request, and the outcomes of its attempts.
struct Plan: Sendable, CustomStringConvertible {
    enum Outcome: Sendable {
        case head(Int, Fields = Fields(), PlannedBody? = .text)
        case failure(PlugboardError.Code)
        /// No response, until the attempt is cancelled.
        case silence
    }

    /// Describes the plan in reports.
    var description: String
    /// The whole URL, for a request of the plugin's author; nil for one of the checks.
    var url: String?
    var method = Method.get
    /// The part of the URL after the number: begins with `/` or `?`, or is empty.
    var path = ""
    var fields = Fields()
    var body: PlannedBody?
    var attributes = Attributes()
    /// The outcome of each attempt; the last one is repeated.
    var outcomes: [Outcome] = [.head(200)]
    /// Pieces of the response's body after which the reader stops; nil reads to the end.
    var reads: Int?

    init(_ description: String) { self.description = description }
}

/// The body of a plan.
struct PlannedBody: Sendable {
    /// How pulls are completed.
    enum Manner: CaseIterable, Sendable {
        /// The pull is completed before it returns.
        case atOnce
        /// The pull is completed on the loop, some turns later.
        case late
        /// The pull is completed on another thread.
        case elsewhere
        /// The pull is completed twice: before it returns, and again on another thread.
        case twice
    }

    var bytes: Bytes
    /// Bytes in one piece.
    var piece = 16 << 10
    var manner = Manner.atOnce
    /// Whether it breaks instead of ending.
    var breaks = false
    var trailers = Fields()
    /// Whether the length is known beforehand.
    var isLengthKnown = false

    init(_ bytes: Bytes) { self.bytes = bytes }

    static let text = PlannedBody(Bytes("The quick brown fox jumps over the lazy dog.\n"))
    static let empty = PlannedBody(.empty)

    /// Bytes that differ between positions, so that a shift is detected.
    static func counting(_ count: Int) -> PlannedBody {
        var bytes = (0..<min(count, 65_521)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        // A prime number, so that no size of a piece divides it.
        while bytes.count < count { bytes += bytes.prefix(count - bytes.count) }
        return PlannedBody(Bytes(bytes))
    }

    func inPieces(of size: Int, _ manner: Manner = .atOnce) -> PlannedBody {
        var body = self
        body.piece = max(size, 1)
        body.manner = manner
        return body
    }
}

/// How an exchange ended for the program that began it.
struct Conclusion: Sendable, Equatable, CustomStringConvertible {
    enum Head: Sendable, Equatable {
        case status(Int)
        case failed(PlugboardError.Code)
    }

    var head: Head
    /// A digest of the response's body.
    var body = Digest()
    /// The code with which the body broke; nil if it did not.
    var breakage: PlugboardError.Code?
    /// The body of the last attempt, as the network saw it.
    var sent: Digest?
    /// The rule that the plugin broke, in the kernel's words; nil if there was no fault.
    var fault: String?

    var description: String {
        let start =
            switch head {
            case .status(let status): "status \(status) and \(body.count) bytes"
            case .failed(let code): "the failure \(code)"
            }
        let sent = sent.map { ", after \($0.count) bytes were sent" } ?? ""
        return start + (breakage.map { " and the break \($0)" } ?? "") + sent
    }
}
