import CPlugboardCurl
import PlugboardSystem
import PlugboardTransport

/// The state of one transfer that libcurl's callbacks read and write: plain memory behind CURLOPT_PRIVATE and similar
/// options, so that callbacks need no reference counting. `Transfer.settle` acts on it, in the same turn.
struct TransferState {
    typealias Pointer = UnsafeMutablePointer<TransferState>

    let easy: UnsafeMutableRawPointer
    /// The multi handle whose connections it uses, unowned.
    let multi: Unmanaged<MultiHandle>
    let touched: UnsafeMutablePointer<TouchedList>
    /// The bytes that may wait for the reader.
    let queueLimit: Int
    /// The next state in the list, and whether this one is in the list. Used only by `TouchedList`.
    var nextTouched: Pointer?
    var isTouched = false
    /// The transfer that the state belongs to, unowned.
    var transfer: Unmanaged<Transfer>?
    var head = HeadReader(byteLimit: 0, fieldLimit: 0)
    var interims: [ResponseHead] = []
    var received = PieceQueue()
    var receivedCount = 0
    /// Whether the rest of the body is discarded.
    var isDiscarding = false
    var upload = UploadQueue(length: nil)
    /// How many times libcurl was about to send the request. It does so a second time if a reused connection was closed
    /// without a response, and if the server refused the request.
    var sendings = 0
    /// What libcurl's log reports about the stream.
    var streamLog = StreamLog()
    /// Whether `Callbacks.debug` reads what libcurl logs. It belongs to the handle, not to one transfer.
    var isListening = false
    /// Whether the request may be sent over HTTP/2, which belongs to the handle too, and whether it was.
    var mayBeHTTP2 = false
    var isHTTP2 = false
    /// The beginning of a head that libcurl sends, for `WireLog`.
    var sentHead: [UInt8] = []
    var hasUpload = false
    private var chunkedEnd = ChunkedEnd()
    /// What libcurl does to open a connection for this transfer, before it sends.
    var opening = AttemptPhase.waitingForConnection
    /// Why no socket could be opened, as in `errno`, or 0.
    var socketError: Int32 = 0
    /// What is paused, as in the argument of `curl_easy_pause`.
    var pausedParts = CURLPAUSE_CONT
    /// Whether the queue was full, and is still more than half full.
    var isReceivingPaused = false
    /// The socket that libcurl last watched for this transfer, or -1.
    private(set) var socket: Int32 = -1
    /// The socket on which the transfer sends, until its response is complete, or -1; and the number that distinguishes
    /// it from later sockets.
    var sendingSocket: Int32 = -1
    var sendingCookie: UInt64 = 0
    /// Whether libcurl wanted to send on an HTTP/1 connection that another transfer is using; nothing was sent.
    var isCrossed = false
    /// Whether the transfer sends on a connection whose socket is not known yet.
    private var isNameless = false
    /// Whether the transfer uses a Unix domain socket.
    private var isLocal = false
    private var isDownloadLimited = false
    private(set) var isHead = false
    /// Whether the transfer uses TLS.
    private(set) var isSecure = false
    /// The TLS session that must end with close_notify, because the body ends with it.
    private var awaitedEnd: UInt?
    /// Why a callback ended the transfer.
    var failure: PlugboardError?

    init(easy: UnsafeMutableRawPointer, multi: MultiHandle) {
        self.easy = easy
        self.multi = Unmanaged.passUnretained(multi)
        touched = multi.touched
        queueLimit = multi.settings.bodyQueueLimit.bytes
    }

    mutating func begin(_ transfer: Transfer, headLimit: Int, fieldLimit: Int, body: RequestBody) {
        self.transfer = Unmanaged.passUnretained(transfer)
        head.begin(byteLimit: headLimit, fieldLimit: fieldLimit)
        receivedCount = 0
        isDiscarding = false
        if body.length != upload.length || upload.given > 0 || upload.isEnded || upload.isWaiting {
            upload = UploadQueue(length: body.length)
        }
        upload.waitsForContinue = body.waitsForContinue
        sendings = 0
        streamLog = StreamLog()
        isHTTP2 = false
        if !sentHead.isEmpty { sentHead = [] }
        hasUpload = body.source != nil
        isLocal = transfer.unixSocket != nil
        isDownloadLimited = transfer.isDownloadLimited
        isHead = transfer.isHead
        isSecure = transfer.url?.isSecure ?? false
        chunkedEnd = ChunkedEnd()
        isCrossed = false
        opening = .waitingForConnection
        socketError = 0
        pausedParts = CURLPAUSE_CONT
        isReceivingPaused = false
        socket = -1
    }

    /// Called after the final head. Waits for close_notify if the body ends with the TLS connection.
    mutating func awaitEndIfNeeded() {
        guard isSecure, head.endsWithConnection, !isResponseWhole, !isHead,
            multi._withUnsafeGuaranteedRef({ $0.settings.closeNotify })
        else { return }
        awaitedEnd = TLSLibrary.awaitEnd(easy)
    }

    mutating func takeAwaitedEnd() -> UInt? {
        defer { awaitedEnd = nil }
        return awaitedEnd
    }

    mutating func end() {
        if let session = takeAwaitedEnd() { _ = TLSLibrary.takeEnd(session) }
        transfer = nil
        endNameless()
        received.removeAll()
        upload = UploadQueue(length: nil)
        failure = nil
        if !interims.isEmpty { interims = [] }
    }

    /// Notes the socket of the connection on which the transfer sends.
    mutating func nameSocket(_ socket: Int32) {
        self.socket = socket
        endNameless()
    }

    mutating func beginNameless() {
        if isNameless { return }
        isNameless = true
        multi._withUnsafeGuaranteedRef { $0.loop.poller.beginNameless(isLocal: isLocal) }
    }

    private mutating func endNameless() {
        if !isNameless { return }
        isNameless = false
        multi._withUnsafeGuaranteedRef { $0.loop.poller.endNameless(isLocal: isLocal) }
    }

    /// The host and port that the transfer goes to.
    var hostAndPort: String { transfer?._withUnsafeGuaranteedRef { $0.url?.hostAndPort } ?? "" }

    // Inlined, like the other properties that only read, because a call would copy the whole state.
    /// The bytes of the body that are still to be received; nil if the response's head does not say.
    @inline(__always)
    var expected: Int? {
        guard !head.hasTransferEncoding, let length = head.contentLength else { return nil }
        return max(length - receivedCount, 0)
    }

    /// Reads lines of the head or of trailers: usually one; several if they arrived during a pause, because libcurl
    /// joins them. Returning false ends the transfer.
    mutating func readLines(_ lines: UnsafeRawBufferPointer) -> Bool {
        var rest = lines
        while let start = rest.baseAddress, let lineBreak = memchr(start, 0x0A, rest.count) {
            let count = UnsafeRawPointer(lineBreak) - start + 1
            if count == rest.count { break }
            if !readLine(UnsafeRawBufferPointer(start: start, count: count)) { return false }
            rest = UnsafeRawBufferPointer(start: start + count, count: rest.count - count)
        }
        return readLine(rest)
    }

    private mutating func readLine(_ line: UnsafeRawBufferPointer) -> Bool {
        switch head.read(line) {
        case .more, .trailer: return true
        case .final:
            upload.waitsForContinue = false
            return true
        case .interim:
            if head.status == 100 { upload.waitsForContinue = false }
            interims.append(head.takeHead())
            return true
        case .malformed:
            let part = head.isFinal ? "trailer" : "head"
            failure = PlugboardError(.transportProtocol, "The response's \(part) \(head.complaint).")
            return false
        }
    }

    /// Whether the whole response was received. libcurl itself reports the end of a response only after the request is
    /// sent, too.
    @inline(__always)
    var isResponseWhole: Bool {
        if !head.isFinal { return false }
        if head.status == 204 || head.status == 304 { return true }
        if let expected { return expected == 0 }
        // During a pause, and under a speed limit, libcurl holds bytes back that it has received.
        return hasEndMark && pausedParts & CURLPAUSE_RECV == 0 && !isDownloadLimited
    }

    /// Whether the end of the stream, or of the chunked coding, was received.
    @inline(__always)
    var hasEndMark: Bool { streamLog.hasEnded || hasUpload && chunkedEnd.isFound }

    /// Reads bytes of the response's body before libcurl removes the chunked coding. Sets `failure` if the coding must
    /// be refused, because the caller cannot end the transfer.
    mutating func readRaw(_ bytes: UnsafeRawBufferPointer) {
        guard head.isFinal, head.isChunked, head.version != .http2 else { return }
        chunkedEnd.read(bytes)
        if failure == nil, let complaint = chunkedEnd.complaint {
            failure = PlugboardError(.transportProtocol, "The response's body \(complaint).")
        }
    }

    /// Reads the trailers that libcurl has received and not delivered, because the request has not ended.
    mutating func readLoggedTrailers() {
        guard head.isFinal, streamLog.hasEnded, head.trailers.isEmpty else { return }
        for line in streamLog.trailers where failure == nil { _ = line.withUnsafeBytes { readLine($0) } }
    }

    mutating func receive(_ piece: UnsafeRawBufferPointer) {
        if !isDiscarding { received.append(piece, expected: expected) }
        receivedCount += piece.count
    }
}
