import Plugboard
import PlugboardCodecs
import PlugboardDownloads
import PlugboardJSON
import Synchronization

/// The exchange of one line, from the request to the last byte of the response.
final class DriverExchange: Sendable {
    private let line: DriverRequest
    private let kernel: Kernel
    private let heard = Mutex(Heard())

    /// What was recorded from the exchange's events.
    private struct Heard {
        /// The interim heads of the last attempt.
        var interim: [ResponseHead] = []
        /// How the plugin `cache` took part, if it did.
        var cache: String?
    }

    init(_ line: DriverRequest, _ kernel: Kernel) {
        self.line = line
        self.kernel = kernel
    }

    func run() async throws(DriverError) -> DriverResult {
        if let file = line.file, line.resumes { return try await resume(file) }
        let response: Response
        do throws(PlugboardError) { response = try await send(line.request) } catch { throw DriverError(error) }
        let result = result(response)
        guard let file = line.file else { return try await collect(response.body, result) }
        return try await download(response.body, to: file, result)
    }

    private func result(_ response: Response) -> DriverResult {
        var response = response
        response.body = .empty
        let heard = heard.withLock { $0 }
        return DriverResult(response: response, interim: heard.interim, cache: heard.cache)
    }

    /// Continues what an earlier line has left of the file. A line is one attempt: the driving program decides whether
    /// there is another one.
    private func resume(_ file: String) async throws(DriverError) -> DriverResult {
        var download = Download(line.request, to: file)
        download.attempts = 1
        download.limit = line.bodyLimit.map { .bytes($0) }
        let outcome: DownloadResult
        do throws(PlugboardError) { outcome = try await download.received(with: self) } catch {
            throw DriverError(error)
        }
        return outcome.isComplete
            ? result(outcome.response) : try await collect(outcome.response.body, result(outcome.response))
    }

    /// [loop]
    private func hear(_ event: ObservedEvent) {
        switch event.kernelEvent {
        case .attemptBegan: heard.withLock { $0.interim = [] }
        case .interim:
            if let head = event.head, head.status != 101 { heard.withLock { $0.interim.append(head) } }
        case nil:
            if let word = DriverExchange.cacheEvents[event.id] { heard.withLock { $0.cache = word } }
        default: break
        }
    }

    private static let cacheEvents = [
        "cache.miss": "miss", "cache.hit": "hit", "cache.revalidated": "revalidated", "cache.stale": "stale",
        "cache.bypass": "bypass",
    ]

    /// The largest body of a reply without `max_body_bytes`, because it is kept in memory.
    static let memoryLimit = 32 << 20

    private func collect(_ body: Body, _ result: DriverResult) async throws(DriverError) -> DriverResult {
        var result = result
        var bytes: [UInt8] = []
        do throws(PlugboardError) {
            var iterator = body.makeAsyncIterator()
            while let piece = try await iterator.next() {
                try check(bytes.count + piece.count, line.bodyLimit ?? DriverExchange.memoryLimit)
                piece.withUnsafeBytes { bytes += $0 }
            }
        } catch {
            result.body = bytes
            throw DriverError(error, partial: result)
        }
        result.body = bytes
        return result
    }

    /// Writes the body of a response with a status 2xx to a file, which appears when it is complete.
    private func download(
        _ body: Body, to path: String, _ result: DriverResult
    ) async throws(DriverError) -> DriverResult {
        guard (200...299).contains(result.response.status) else { return result }
        guard result.response.status != 206 else {
            throw DriverError(.body, "The server sent a part of the representation.", partial: result)
        }
        let file: WholeFile
        do throws(PlugboardError) {
            file = try WholeFile(path)
        } catch {
            throw DriverError(.invalid, error.description)
        }
        var count = 0
        do throws(PlugboardError) {
            var iterator = body.makeAsyncIterator()
            while let piece = try await iterator.next() {
                count += piece.count
                if let limit = line.bodyLimit { try check(count, limit) }
                try file.write(piece)
            }
        } catch {
            throw DriverError(error, partial: result)
        }
        do throws(PlugboardError) {
            try file.appear(isSynced: true)
        } catch {
            throw DriverError(.aborted, error.description)
        }
        return result
    }

    private func check(_ count: Int, _ limit: Int) throws(PlugboardError) {
        guard count > limit else { return }
        throw PlugboardError(
            .bodyLimit,
            "The body is larger than the \(limit) bytes allowed. Raise max_body_bytes, or use download.file.")
    }
}

extension DriverExchange: RequestSender {
    func options(of request: Request) -> RequestOptions { kernel.options(of: request) }

    nonisolated(nonsending) func send(_ request: Request) async throws(PlugboardError) -> Response {
        try await kernel.begin(request) { self.hear($0) }.response
    }
}
