import CCurl
import Transporting

/// The request's body on its way into libcurl: one piece at a time, pulled ahead.
struct UploadQueue {
    private var piece = Bytes.empty
    private var offset = 0
    /// Bytes in all, if known.
    let length: Int?
    /// Bytes that the source has given and libcurl has taken.
    private(set) var given = 0
    private(set) var sent = 0
    private(set) var isEnded = false
    private(set) var trailers = Fields()
    /// libcurl was told to wait, and has to be told to go on.
    var isWaiting = false

    /// The server has not yet said that it wants the body.
    var waitsForContinue = false

    init(length: Int?) { self.length = length }

    var isEmpty: Bool { offset == piece.count }
    var wantsPiece: Bool { isEmpty && !isEnded }
    var isSent: Bool { isEnded && isEmpty }
    /// libcurl waits, and need not.
    var canGoOn: Bool { isWaiting && !waitsForContinue && (!isEmpty || isEnded || sent == length) }

    /// Returns what is wrong, if the source does not keep to its length.
    mutating func accept(_ piece: Piece) -> PlugboardError? {
        switch piece {
        case .bytes(let bytes):
            given += bytes.count
            if let length, given > length {
                return PlugboardError(.bodyRead, "The request's body is longer than the \(length) bytes it announced.")
            }
            (self.piece, offset) = (bytes, 0)
        case .end(let trailers):
            if let length, given < length {
                return PlugboardError(
                    .bodyRead, "The request's body ended after \(given) of the \(length) bytes it announced.")
            }
            if let complaint = RequestBody.complaint(in: trailers) { return complaint }
            self.trailers = trailers
            isEnded = true
        case .broken(let error): return error
        }
        return nil
    }

    /// What libcurl's read callback answers.
    mutating func fill(_ room: UnsafeMutableRawBufferPointer) -> Int {
        if waitsForContinue {
            isWaiting = true
            return Int(CURL_READFUNC_PAUSE)
        }
        let count = min(room.count, piece.count - offset)
        if count == 0 {
            // A source that has given all it announced need not have said so yet.
            isWaiting = !isEnded && sent != length
            return isWaiting ? Int(CURL_READFUNC_PAUSE) : 0
        }
        piece.withUnsafeBytes {
            room.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + count]))
        }
        offset += count
        sent += count
        if isEmpty { (piece, offset) = (.empty, 0) }
        return count
    }
}
