import Plugboard
import PlugboardEventLoop
import PlugboardJSON
import PlugboardQueue
import PlugboardTransport
import Synchronization
import TestSupport

/// A network that can be cut, with a server that carries out requests, and the kernels that use it.
final class Shore: Sendable {
    struct Carried: Sendable {
        var method: String
        var path: String
        var key: String?
        var authorization: String?
        var body: String
    }

    struct Rules: Sendable {
        var isOnline = false
        /// Responses by path, in their order; the last one stays.
        var statuses: [String: [Int]] = [:]
        /// The failure while there is no network.
        var failure = PlugboardError.Code.transportConnect
        /// Paths whose requests are carried out, and whose responses are lost.
        var lost: Set<String> = []
    }

    let rules = Mutex(Rules())
    /// Each request that reached the server.
    let requests = Record()
    let attempts = Gate()
    let clock: ManualClock?
    let folder: TemporaryFolder
    private let carried = Mutex<[Carried]>([])

    init(isManual: Bool = false) throws {
        clock = isManual ? ManualClock() : nil
        folder = try TemporaryFolder("queue")
    }

    var isOnline: Bool {
        get { rules.withLock { $0.isOnline } }
        set { rules.withLock { $0.isOnline = newValue } }
    }

    /// What the server has carried out.
    var done: [Carried] { carried.withLock { $0 } }
    var paths: [String] { done.map(\.path) }

    func respond(_ path: String, _ statuses: Int...) { rules.withLock { $0.statuses[path] = statuses } }

    private func outcome(of request: AttemptRequest) -> MockTransport.Outcome {
        let path = String(request.url.dropFirst("http://a.test".count))
        attempts.admit()
        let (status, failure) = rules.withLock { rules -> (Int, PlugboardError.Code?) in
            guard rules.isOnline else { return (0, rules.failure) }
            let statuses = rules.statuses[path] ?? [200]
            if statuses.count > 1 { rules.statuses[path]?.removeFirst() }
            return (statuses[0], rules.lost.remove(path) == nil ? nil : .transportReset)
        }
        if status != 0 {
            requests.add("\(request.method) \(path)")
            if status < 400 {
                let one = Carried(
                    method: request.method.name, path: path, key: request.fields["Idempotency-Key"],
                    authorization: request.fields["Authorization"], body: "")
                carried.withLock { $0.append(one) }
            }
        }
        if let failure { return .failure(PlugboardError(failure, "There is no network.")) }
        return .respond(status, ["Content-Type": "text/plain"], ["carried out"])
    }

    /// A kernel with the queue on the shore's file.
    func kernel(
        _ linkage: Linkage = .linked, settings: JSONObject = [:], kernel: KernelSettings = KernelSettings(),
        origins: [Origin: Attributes] = [:], transport: MockTransport? = nil, beside scripted: [ScriptedPlugin] = [],
        log: KernelLog = .silent,
        watch: (@Sendable (ObservedEvent) -> Void)? = nil
    ) throws -> Kernel {
        var all = settings
        all["path"] = all["path"] ?? .string(folder.file("queue.sqlite"))
        return try linkage.kernel(
            queuePlugin(), transport ?? MockTransport { request, _ in self.outcome(of: request) }, clock: clock,
            settings: all, beside: scripted, network: .system, log: log,
            { ($0.kernel, $0.origins) = (kernel, origins) }, watch: watch)
    }

    /// A POST, whose path is its name.
    static func post(_ path: String, category: String? = nil, body: String? = nil) -> Request {
        var request = Request(.post, "http://a.test/\(path)")
        if let body { request.body = .text(body) }
        request.queue.category = category
        return request
    }

    /// Begins requests in this order, which is certain on one loop only.
    static func begin(_ requests: [Request], in kernel: Kernel) async -> [ExchangeHandle] {
        await Task(executorPreference: kernel.executors[0]) { requests.map { kernel.begin($0) } }.value
    }

    /// Sends a request that is queued, and returns its ticket.
    static func queue(_ request: Request, in kernel: Kernel) async throws -> String {
        do {
            _ = try await kernel.send(request)
        } catch {
            if let ticket = error.queueTicket { return ticket }
            throw error
        }
        throw PlugboardError(.kernel, "The request was not queued.")
    }
}
