import PlugboardKit

/// Reads the body of a sub-request's answer whole. On the loop.
///
/// Sendable because the loop is the only thread that calls it: `send` answers there, and so does each pull.
final class AnswerReader: @unchecked Sendable {
    private let body: InnerBody
    private let limit: Int
    private let done: ([UInt8]?) -> Void
    private var bytes: [UInt8] = []
    private var isOver = false
    private var isPulling = false
    private var isAnswered = false

    /// `done` is called once: with all bytes, or with nil if there are more than `limit` or the body breaks.
    static func read(_ answer: Answer, upTo limit: Int, _ done: @escaping ([UInt8]?) -> Void) {
        guard let body = answer.takeBody() else { return done([]) }
        AnswerReader(body, limit, done).pull()
    }

    private init(_ body: InnerBody, _ limit: Int, _ done: @escaping ([UInt8]?) -> Void) {
        self.body = body
        self.limit = limit
        self.done = done
    }

    /// In a loop: pieces that are there at once must not pile up calls, for a server chooses how many there are.
    private func pull() {
        isPulling = true
        repeat {
            isAnswered = false
            body.withPiece { [self] piece in
                take(piece)
                isAnswered = true
                if !isPulling && !isOver { pull() }
            }
        } while isAnswered && !isOver
        isPulling = false
    }

    private func take(_ piece: borrowing InnerBody.View) {
        switch copy piece {
        case .bytes(let piece):
            if piece.count <= limit - bytes.count { bytes += piece } else { end(nil) }
        case .end: end(bytes)
        case .broken: end(nil)
        }
    }

    private func end(_ bytes: [UInt8]?) {
        isOver = true
        body.release()
        done(bytes)
    }
}
