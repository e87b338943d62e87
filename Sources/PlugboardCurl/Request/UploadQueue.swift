import CPlugboardCurl
import PlugboardTransport

/// The piece of the request's body that libcurl reads next, pulled in advance.
struct UploadQueue {
    private var piece = Bytes.empty
    private var offset = 0
    /// The total number of bytes; nil if it is not known.
    let length: Int?
    /// The bytes that the source has given.
    private(set) var given = 0
    /// The bytes that libcurl has taken.
    private(set) var sent = 0
    private(set) var isEnded = false
    private(set) var trailers = Fields()
    /// Whether libcurl was told to wait, and must be told to continue.
    var isWaiting = false

    /// Whether the server has not yet responded with 100 (Continue).
    var waitsForContinue = false

    init(length: Int?) { self.length = length }

    var isEmpty: Bool { offset == piece.count }
    var wantsPiece: Bool { isEmpty && !isEnded }
    var isSent: Bool { isEnded && isEmpty }
    /// Whether libcurl waits although it could continue.
    var canGoOn: Bool { isWaiting && !waitsForContinue && (!isEmpty || isEnded || sent == length) }

    /// Stores the next piece. Returns an error if the body is broken, or not as long as announced.
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

    /// Copies bytes for libcurl's read callback, and returns the callback's result.
    mutating func fill(_ room: UnsafeMutableRawBufferPointer) -> Int {
        if waitsForContinue {
            isWaiting = true
            return Int(CURL_READFUNC_PAUSE)
        }
        let count = min(room.count, piece.count - offset)
        if count == 0 {
            // A source that has given all announced bytes may not have reported its end yet.
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
