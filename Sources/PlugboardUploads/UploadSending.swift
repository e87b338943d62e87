import PlugboardMessages
import Synchronization

/// Sends the bodies of an upload, with progress, and with `Expect: 100-continue` if that is useful.
struct UploadSending {
    private let waits: Bool?
    private let progress: UploadPace
    /// Whether the upload repeats its requests itself, so that no plugin does.
    private let isResumable: Bool
    /// Whether the server has refused (417) or ignored a request with `Expect`.
    private var isExpectUseless = false

    /// The number of bytes from which a body waits for 100.
    private static let expectedSize = 1 << 20

    init(_ upload: Upload) {
        waits = upload.waitsForContinue
        progress = UploadPace(upload.progress)
        isResumable = upload.resumption != .none
    }

    /// Ends the reports: after this, only the completion is reported.
    func end(_ last: TransferProgress? = nil) { progress.end(last) }

    /// - Parameter interim: Called on the loop with each interim response.
    mutating func send(
        _ request: Request, _ part: UploadPart?, total: Int?, resumed: Int, with sender: some RequestSender,
        interim: @escaping @Sendable (_ head: ResponseHead, _ url: String) -> Void = { _, _ in }
    ) async throws(PlugboardError) -> Response {
        var request = request
        if part != nil, isResumable { request.attributes["retry.enabled"] = "false" }
        let isOwn = request.fields.contains("Expect")
        let isLarge = part.map { $0.count >= UploadSending.expectedSize || total == nil } ?? false
        let expects = !isOwn && !isExpectUseless && part != nil && (waits ?? isLarge)
        if expects { request.fields["Expect"] = "100-continue" }
        let seen = SeenContinue()
        let start = part?.offset ?? 0
        let turn = progress.begin()
        let watch: @Sendable (RequestNotice) -> Void = { [progress] notice in
            switch notice {
            case .progress(let bytes):
                if part != nil {
                    progress.tell(TransferProgress(sent: start + bytes.sent, toSend: total, resumed: resumed), turn)
                }
            case .interim(let head, let url):
                if head.status == 100 { seen.set() }
                interim(head, url)
            }
        }
        let response = try await sender.send(request, watch: watch)
        guard expects else { return response }
        if response.status == 417, part?.body.source.rewind() == true {
            // RFC 9110 §10.1.1: repeats the request without the expectation.
            response.body.source.release()
            isExpectUseless = true
            request.fields.remove("Expect")
            return try await sender.send(request, watch: watch)
        }
        // A refusal may come instead of 100. A success without 100 shows that the server ignores the field.
        if waits == nil, !seen.value, (200...299).contains(response.status) { isExpectUseless = true }
        return response
    }
}

/// Whether 100 was received.
private final class SeenContinue: Sendable {
    private let isSeen = Mutex(false)

    var value: Bool { isSeen.withLock { $0 } }

    func set() { isSeen.withLock { $0 = true } }
}

/// Limits the progress of an upload to ten calls a second, in order. Can be used from any thread.
final class UploadPace: Sendable {
    private struct State {
        var pace = ProgressPace()
        /// The number of the request whose progress is reported; nil when the upload has ended.
        var turn: Int? = 0
        /// The last reported count of this request.
        var last = -1
    }

    private let progress: (@Sendable (TransferProgress) -> Void)?
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    init(
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        _ progress: (@Sendable (TransferProgress) -> Void)?
    ) {
        self.now = now
        self.progress = progress
    }

    /// Begins another request and returns its number. Late progress of earlier requests is not reported.
    func begin() -> Int {
        state.withLock { state in
            let turn = (state.turn ?? 0) + 1
            state.turn = turn
            state.last = -1
            return turn
        }
    }

    func tell(_ facts: TransferProgress, _ turn: Int) {
        state.withLock { state in
            // The same count is reported again and again while the response's body arrives.
            guard state.turn == turn, facts.sent != state.last, state.pace.isDue(now: now()) else { return }
            state.last = facts.sent
            progress?(facts)
        }
    }

    func end(_ last: TransferProgress?) {
        state.withLock { state in
            state.turn = nil
            if let last { progress?(last) }
        }
    }
}
