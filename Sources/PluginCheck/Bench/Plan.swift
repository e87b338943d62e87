import PlugboardKit

/// One exchange as it is to happen: what is asked, and what the network answers.
struct Plan: Sendable, CustomStringConvertible {
    enum Outcome: Sendable {
        case head(Int, Fields = Fields(), PlannedBody? = .text)
        case failure(PlugboardError.Code)
        /// Nothing, until it is cancelled.
        case silence
    }

    /// For reports: what is special about it.
    var description: String
    var method = Method.get
    /// What follows the number in the URL; begins with `/` or `?`, or is empty.
    var path = ""
    var fields = Fields()
    var body: PlannedBody?
    var attributes = Attributes()
    /// One an attempt; the last one is repeated.
    var answers: [Outcome] = [.head(200)]
    /// Pieces of the answer's body after which the reader has enough; nil reads to the end.
    var reads: Int?

    init(_ description: String) { self.description = description }
}

/// A body of a script's.
struct PlannedBody: Sendable {
    /// How pulls are answered.
    enum Manner: CaseIterable, Sendable {
        /// Within the pull.
        case atOnce
        /// On the loop, some turns later.
        case late
        /// On another thread.
        case elsewhere
        /// Twice: within the pull, and again on another thread.
        case twice
    }

    var bytes: Bytes
    /// Bytes in one piece.
    var piece = 16 << 10
    var manner = Manner.atOnce
    /// Whether it breaks in place of its end.
    var breaks = false
    var trailers = Fields()
    /// Whether the length is told beforehand.
    var isLengthKnown = false

    init(_ bytes: Bytes) { self.bytes = bytes }

    static let text = PlannedBody(Bytes("The quick brown fox jumps over the lazy dog.\n"))
    static let empty = PlannedBody(.empty)

    /// Bytes in which each place can be told from its neighbours.
    static func counting(_ count: Int) -> PlannedBody {
        var bytes = (0..<min(count, 65_521)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        // A prime, so that no piece's size divides it.
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
    /// What came of the answer's body.
    var body = Digest()
    /// How the body broke, if it did.
    var breakage: PlugboardError.Code?
    /// The body of the last attempt, as the network saw it.
    var sent: Digest?
    /// How the plugin broke the rules, as the kernel says it.
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
