import PlugboardEventLoop
import PlugboardKit
import PlugboardTransport
import Synchronization

/// A transport without a network: each attempt gets the outcome of the plan whose number is in its URL.
final class PlannedTransport: Transport {
    private struct State {
        var plans: [Int: Plan] = [:]
        /// The plans that have a URL of their own.
        var numbers: [String: Int] = [:]
        var attempts: [Int: Int] = [:]
        var sent: [Int: Digest] = [:]
        var last = 0
        /// How many responses are held back before they are delivered.
        var gathering = 0
        var gathered: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    static let host = "check.example"

    /// Adds a plan, and returns its number.
    func add(_ plan: Plan) -> Int {
        state.withLock { state in
            state.last += 1
            state.plans[state.last] = plan
            if let url = plan.url { state.numbers[url] = state.last }
            return state.last
        }
    }

    /// The URL of a plan.
    static func url(_ number: Int, _ plan: Plan) -> String {
        plan.url ?? "http://\(host)/\(number)\(plan.path)"
    }

    /// Forgets a plan, and returns what was sent with the last of its attempts.
    func remove(_ number: Int) -> Digest? {
        state.withLock { state in
            if let url = state.plans.removeValue(forKey: number)?.url { state.numbers[url] = nil }
            state.attempts[number] = nil
            return state.sent.removeValue(forKey: number)
        }
    }

    /// Starts again with a plan's first outcome, and returns what was sent with the last of its attempts.
    func restart(_ number: Int) -> Digest? {
        state.withLock { state in
            state.attempts[number] = nil
            return state.sent.removeValue(forKey: number)
        }
    }

    /// Holds responses back until there are `count`, and then delivers them in reverse order.
    func gather(_ count: Int) { state.withLock { $0.gathering = count } }

    /// Delivers the responses that were held back, and holds back no more.
    func disperse() {
        let responses = state.withLock { state in
            defer { (state.gathered, state.gathering) = ([], 0) }
            return state.gathered
        }
        for response in responses.reversed() { response() }
    }

    func perform(_ attempt: AttemptRequest, observer: any AttemptObserver, loop: EventLoop) -> any Attempt {
        let (number, plan, attempts) = state.withLock { state in
            let number = state.numbers[attempt.url] ?? PlannedTransport.number(in: attempt.url)
            state.attempts[number, default: 0] += 1
            return (number, state.plans[number], state.attempts[number] ?? 1)
        }
        let outcomes = plan?.outcomes ?? [.head(200, ["content-type": "application/json"], PlannedBody(Bytes("{}")))]
        let outcome = outcomes.isEmpty ? Plan.Outcome.silence : outcomes[min(attempts, outcomes.count) - 1]
        let running = PlannedAttempt(outcome, attempt, observer, loop)
        loop.enqueue {
            running.begin { digest in
                self.state.withLock { $0.sent[number] = digest }
                self.deliver { loop.enqueue { running.respond() } }
            }
        }
        return running
    }

    func forget() {}
    func shutDown() {}

    private func deliver(_ response: @escaping @Sendable () -> Void) {
        let isKept = state.withLock { state in
            guard state.gathering > 0 else { return false }
            state.gathered.append(response)
            return true
        }
        guard isKept else { return response() }
        let isFull = state.withLock { $0.gathered.count >= $0.gathering }
        if isFull { disperse() }
    }

    /// The number after the host's name, or 0.
    private static func number(in url: String) -> Int {
        let prefix = "http://\(host)/"
        guard url.hasPrefix(prefix) else { return 0 }
        return Int(url.dropFirst(prefix.count).prefix { ("0"..."9").contains($0) }) ?? 0
    }
}

/// One attempt. Sendable because everything happens on the loop.
private final class PlannedAttempt: Attempt, @unchecked Sendable {
    private let planned: Plan.Outcome
    private let request: AttemptRequest
    private let observer: any AttemptObserver
    private let loop: EventLoop
    private var isOver = false
    private var isSuspended = false
    private var whenResumed: [@Sendable () -> Void] = []

    init(
        _ planned: Plan.Outcome, _ request: AttemptRequest, _ observer: any AttemptObserver, _ loop: EventLoop
    ) {
        self.planned = planned
        self.request = request
        self.observer = observer
        self.loop = loop
    }

    /// Reads the request's body, and calls the closure with its digest.
    func begin(_ whenSent: @escaping (Digest?) -> Void) {
        guard !isOver else { return }
        for milestone: Milestone in [.resolved, .connected] where request.isWatched {
            observer.attemptReached(milestone)
        }
        guard let body = request.body else { return whenSent(nil) }
        BodyReading(body) {
            !self.isOver
        } _: { digest, error in
            if let error { self.end(error) } else { whenSent(digest) }
        }.pump()
    }

    func respond() {
        guard !isOver else { return }
        if isSuspended { return whenResumed.append { self.respond() } }
        if request.isWatched { observer.attemptReached(.firstByte) }
        switch planned {
        case .silence: break
        case .failure(let code): end(PlugboardError(code, "The check let the attempt fail."))
        case .head(let status, let fields, let body):
            observer.attemptReceived(interim: ResponseHead(status: 103, fields: ["link": "</style.css>"]))
            guard !isOver else { return }
            // RFC 9112 §6.3
            let hasBody = request.method != .head && status != 204 && status != 304
            observer.attemptReceived(
                ResponseHead(status: status, fields: fields),
                body: hasBody ? body.map { PlannedSource($0, loop: loop) } : nil)
            if request.isWatched && !isOver {
                observer.attemptProgressed(TransferProgress(received: body?.bytes.count ?? 0))
            }
            end(nil)
        }
    }

    func cancel() { end(PlugboardError(.cancelled, "The attempt was cancelled.")) }
    func suspend() { isSuspended = true }

    func resume() {
        isSuspended = false
        let jobs = whenResumed
        whenResumed = []
        // Resumed in a later turn, because the kernel's call to resume has not ended.
        for job in jobs { loop.enqueue { job() } }
    }

    private func end(_ error: PlugboardError?) {
        guard !isOver else { return }
        isOver = true
        observer.attemptEnded(error, Timings())
    }
}
