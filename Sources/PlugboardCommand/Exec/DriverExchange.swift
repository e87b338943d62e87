import JSON
import Plugboard
import Synchronization

/// One line's exchange, from the request to the last byte of the answer.
final class DriverExchange: Sendable {
    private let line: DriverRequest
    private let kernel: Kernel
    private let heard = Mutex(Heard())

    /// What the exchange's events tell.
    private struct Heard {
        /// Of the last attempt.
        var interim: [ResponseHead] = []
        /// How the plugin `cache` took part, if it did.
        var cache: String?
    }

    init(_ line: DriverRequest, _ kernel: Kernel) {
        self.line = line
        self.kernel = kernel
    }

    func run() async throws(DriverError) -> DriverResult {
        var response: Response
        do throws(PlugboardError) {
            response = try await kernel.begin(line.request) { self.hear($0) }.response
        } catch {
            throw DriverError(error)
        }
        let body = response.body
        response.body = .empty
        let heard = heard.withLock { $0 }
        let answer = DriverResult(response: response, interim: heard.interim, cache: heard.cache)
        guard let file = line.file else { return try await collect(body, answer) }
        return try await download(body, to: file, answer)
    }

    /// [loop]
    private func hear(_ event: ExchangeEvent) {
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

    private func collect(_ body: Body, _ answer: DriverResult) async throws(DriverError) -> DriverResult {
        var answer = answer
        var bytes: [UInt8] = []
        do throws(PlugboardError) {
            var iterator = body.makeAsyncIterator()
            while let piece = try await iterator.next() {
                try check(bytes.count + piece.count)
                piece.withUnsafeBytes { bytes += $0 }
            }
        } catch {
            answer.body = bytes
            throw DriverError(error, answer: answer)
        }
        answer.body = bytes
        return answer
    }

    /// The file is written only by an answer that brings what was asked for, and appears only when it is whole.
    private func download(
        _ body: Body, to path: String, _ answer: DriverResult
    ) async throws(DriverError) -> DriverResult {
        guard (200...299).contains(answer.response.status) else { return answer }
        let file = try WholeFile(path)
        var count = 0
        do throws(PlugboardError) {
            var iterator = body.makeAsyncIterator()
            while let piece = try await iterator.next() {
                count += piece.count
                try check(count)
                if let error = file.write(piece) { throw error }
            }
        } catch {
            throw DriverError(error, answer: answer)
        }
        try file.appear()
        return answer
    }

    private func check(_ count: Int) throws(PlugboardError) {
        guard let limit = line.bodyLimit, count > limit else { return }
        throw PlugboardError(.bodyLimit, "The body is larger than the \(limit) bytes allowed.")
    }
}
