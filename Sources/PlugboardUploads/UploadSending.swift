import PlugboardMessages
import Synchronization

/// Sends the bodies of an upload: with progress, and with `Expect: 100-continue` where that is useful.
struct UploadSending {
    private let waits: Bool?
    private let progress: UploadPace
    /// What one request with `Expect` has shown: the server refuses it (417), or ignores it.
    private var isExpectUseless = false

    /// A body of so many bytes is worth the wait for 100.
    private static let expectedSize = 1 << 20

    /// The most bytes that were sent.
    var sent: Int { progress.most }

    init(_ upload: Upload) {
        waits = upload.waitsForContinue
        progress = UploadPace(upload.progress)
    }

    /// - Parameter interim: Called on the loop with each interim response.
    mutating func send(
        _ request: Request, _ part: UploadPart?, total: Int?, resumed: Int, with sender: some RequestSender,
        interim: @escaping @Sendable (ResponseHead) -> Void = { _ in }
    ) async throws(PlugboardError) -> Response {
        var request = request
        let isOwn = request.fields.contains("Expect")
        let isLarge = part.map { $0.count >= UploadSending.expectedSize || total == nil } ?? false
        let expects = !isOwn && !isExpectUseless && part != nil && (waits ?? isLarge)
        if expects { request.fields["Expect"] = "100-continue" }
        let seen = SeenContinue()
        let start = part?.offset ?? 0
        let watch: @Sendable (RequestNotice) -> Void = { [progress] notice in
            switch notice {
            case .progress(let bytes):
                if part != nil {
                    progress.tell(UploadProgress(sent: start + bytes.sent, resumed: resumed, total: total))
                }
            case .interim(let head):
                if head.status == 100 { seen.set() }
                interim(head)
            }
        }
        let response = try await sender.send(request, watch: watch)
        guard expects else { return response }
        if response.status == 417, part?.body.source.rewind() == true {
            // RFC 9110 §10.1.1: the same request without the expectation.
            response.body.source.release()
            isExpectUseless = true
            request.fields.remove("Expect")
            return try await sender.send(request, watch: watch)
        }
        if waits == nil, !seen.value { isExpectUseless = true }
        return response
    }

    /// The SHA-256 of a part in base 64, as tus wants it.
    static func digest(of part: UploadPart) async throws(PlugboardError) -> String {
        let source = part.body.source
        guard let copy = (source as? UploadFilePart)?.unsent ?? source.copy() else { return "" }
        var digest = SHA256()
        var pieces = Body(copy).makeAsyncIterator()
        while let piece = try await pieces.next() { piece.withUnsafeBytes { digest.update($0) } }
        let digits = Array(digest.hexadecimal.utf8)
        let bytes = stride(from: 0, to: digits.count, by: 2).map { index in
            (hexadecimalValue(digits[index]) ?? 0) << 4 | (hexadecimalValue(digits[index + 1]) ?? 0)
        }
        return Base64.encode(bytes)
    }
}

/// Whether 100 has come.
private final class SeenContinue: Sendable {
    private let isSeen = Mutex(false)

    var value: Bool { isSeen.withLock { $0 } }

    func set() { isSeen.withLock { $0 = true } }
}

/// Limits the progress of an upload to ten calls a second. From any thread.
final class UploadPace: Sendable {
    private struct State {
        var pace = ProgressPace()
        var most = 0
    }

    private let progress: (@Sendable (UploadProgress) -> Void)?
    private let state = Mutex(State())

    init(_ progress: (@Sendable (UploadProgress) -> Void)?) { self.progress = progress }

    var most: Int { state.withLock { $0.most } }

    func tell(_ facts: UploadProgress) {
        let isDue = state.withLock { state in
            state.most = max(state.most, facts.sent)
            return state.pace.isDue()
        }
        if isDue { progress?(facts) }
    }
}
