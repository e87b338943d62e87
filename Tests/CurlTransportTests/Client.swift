import PlugboardCurl
import PlugboardTransport
import Synchronization

/// A loop with a transport, for one test.
final class Client: Sendable {
    let loop: EventLoop
    let transport: CurlTransport

    init(_ settings: CurlTransportSettings = CurlTransportSettings(), clock: ManualClock? = nil) {
        guard let loop = try? EventLoop(name: "test", clock: clock) else {
            preconditionFailure("The system gives the test no event loop.")
        }
        self.loop = loop
        transport = CurlTransport(loop: loop, settings: settings)
    }

    deinit {
        loop.enqueue { [transport] in transport.shutDown() }
        loop.stop()
    }

    /// What became of an attempt, its body read to the end.
    struct Outcome {
        var head: ResponseHead?
        var body: Bytes?
        var trailers = Fields()
        var error: PlugboardError?
        var record: AttemptRecord

        var status: Int? { head?.status }
        var text: String? { body?.text }
    }

    /// Begins an attempt on the loop.
    func begin(
        _ method: Method = .get, _ url: String, fields: Fields = Fields(), body: Body? = nil,
        options: RequestOptions = RequestOptions(), isWatched: Bool = false, record: AttemptRecord = AttemptRecord()
    ) async -> (any Attempt, AttemptRecord) {
        let attempt = await onLoop { [self] in
            transport.perform(
                AttemptRequest(
                    method: method, url: url, fields: fields, body: body?.source, options: options,
                    optionsIdentity: options == RequestOptions() ? 0 : Client.identity(options), isWatched: isWatched),
                observer: record, loop: loop)
        }
        return (attempt, record)
    }

    /// Performs an attempt and reads its body.
    func send(
        _ method: Method = .get, _ url: String, fields: Fields = Fields(), body: Body? = nil,
        options: RequestOptions = RequestOptions(), isWatched: Bool = false
    ) async throws -> Outcome {
        let (_, record) = await begin(
            method, url, fields: fields, body: body, options: options, isWatched: isWatched)
        return try await finish(record)
    }

    /// Reads the body of an attempt to its end and waits for the attempt's.
    func finish(_ record: AttemptRecord) async throws -> Outcome {
        try await record.headOrEnd.opened()
        var outcome = Outcome(record: record)
        let (head, source) = record.state.withLock { ($0.head, $0.body) }
        outcome.head = head
        if let source {
            var pieces: [Bytes] = []
            reading: while true {
                switch await pull(source) {
                case .bytes(let bytes): pieces.append(bytes)
                case .end(let trailers):
                    outcome.trailers = trailers
                    break reading
                case .broken(let error):
                    outcome.error = error
                    break reading
                }
            }
            outcome.body = Bytes.joined(pieces + [.empty])
            source.release()
        }
        try await record.end.opened()
        outcome.error = outcome.error ?? record.state.withLock { $0.error }
        return outcome
    }

    func pull(_ source: any BodySource) async -> Piece {
        await withUnsafeContinuation { continuation in
            loop.enqueue { source.pull(Pull(Reader(continuation))) }
        }
    }

    /// Runs something on the loop and waits for it.
    @discardableResult
    func onLoop<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withUnsafeContinuation { continuation in loop.enqueue { continuation.resume(returning: work()) } }
    }

    private static let identities = Mutex<[(RequestOptions, UInt64)]>([])

    private static func identity(_ options: RequestOptions) -> UInt64 {
        identities.withLock { known in
            if let same = known.first(where: { $0.0 == options }) { return same.1 }
            known.append((options, UInt64(known.count + 1)))
            return UInt64(known.count)
        }
    }
}

private final class Reader: PullReceiver {
    let continuation: UnsafeContinuation<Piece, Never>
    init(_ continuation: UnsafeContinuation<Piece, Never>) { self.continuation = continuation }

    func receive(_ piece: Piece, serial: UInt64) -> Bool {
        continuation.resume(returning: piece)
        return true
    }
}
