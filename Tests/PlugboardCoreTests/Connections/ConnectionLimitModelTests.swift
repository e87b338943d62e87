import Plugboard
import PlugboardEventLoop
import PlugboardKit
import PlugboardTransport
import Synchronization
import TestSupport
import Testing

@testable import PlugboardCore

/// Random traffic to a few hosts, under all combinations of limits: no limit is ever exceeded, and every exchange ends.
@Suite struct `Limits of connections under random traffic` {
    @Test(arguments: 0..<12)
    func `hold, and every exchange ends`(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let (all, perHost) = (Int.random(in: 0...6, using: &random), Int.random(in: 1...4, using: &random))
        let transport = CountingTransport(all: all, perHost: perHost)
        let kernel = try makeKernel([], transport) {
            $0.kernel.connections = all
            $0.kernel.connectionsPerHost = perHost
        }
        var handles: [ExchangeHandle] = []

        for number in 0..<400 {
            let host = Int.random(in: 0..<5, using: &random)
            handles.append(kernel.begin(Request(.get, "http://host\(host).test/\(number)")))
            switch Int.random(in: 0..<8, using: &random) {
            case 0: handles.randomElement(using: &random)?.cancel()
            case 1: handles.randomElement(using: &random)?.suspend()
            case 2, 3: for handle in handles { handle.resume() }
            case 4: transport.endSome(.random(in: 1...5, using: &random), choosing: random.next())
            case 5: await Task.yield()
            default: break
            }
        }
        transport.endAll()
        for handle in handles { handle.resume() }
        for handle in handles { _ = try? await handle.response }

        #expect(transport.excess == [])
        #expect(transport.running == 0)
        await kernel.shutDown()
    }
}

/// Keeps attempts under way until it is told to end them, and writes down each limit that was exceeded.
///
/// Sendable because what changes is under a lock.
private final class CountingTransport: Transport {
    private struct State {
        var attempts: [Attempt] = []
        var ended = 0
        var endsAtOnce = false
        var excess: [String] = []
    }

    private let all: Int
    private let perHost: Int
    private let state = Mutex(State())

    init(all: Int, perHost: Int) {
        self.all = all
        self.perHost = perHost
    }

    var excess: [String] { state.withLock { $0.excess } }
    var running: Int { state.withLock { $0.attempts.count } }

    func perform(_ attempt: AttemptRequest, observer: any AttemptObserver, loop: EventLoop) -> any PlugboardTransport
        .Attempt
    {
        let running = Attempt(attempt.url, observer, loop, self)
        let endsAtOnce = state.withLock { state in
            state.attempts.append(running)
            let toHost = state.attempts.count { $0.host == running.host }
            if all > 0, state.attempts.count > all { state.excess.append("\(state.attempts.count) > \(all)") }
            if toHost > perHost { state.excess.append("\(running.host): \(toHost) > \(perHost)") }
            return state.endsAtOnce
        }
        if endsAtOnce { loop.enqueue { running.respond() } }
        return running
    }

    /// Responds to some of the attempts under way.
    func endSome(_ count: Int, choosing number: UInt64) {
        let chosen = state.withLock { state in
            guard !state.attempts.isEmpty else { return [Attempt]() }
            return (0..<count).map { state.attempts[(Int(number % 1000) + $0) % state.attempts.count] }
        }
        for attempt in chosen { attempt.loop.enqueue { attempt.respond() } }
    }

    /// Responds to all attempts, also to those that begin from now on.
    func endAll() {
        let running = state.withLock { state in
            state.endsAtOnce = true
            return state.attempts
        }
        for attempt in running { attempt.loop.enqueue { attempt.respond() } }
    }

    fileprivate func remove(_ attempt: Attempt) -> Bool {
        state.withLock { state in
            guard let index = state.attempts.firstIndex(where: { $0 === attempt }) else { return false }
            state.attempts.remove(at: index)
            return true
        }
    }

    func forget() {}
    func shutDown() {}

    /// Sendable because it does not change.
    fileprivate final class Attempt: PlugboardTransport.Attempt {
        let host: Substring
        let loop: EventLoop
        private let observer: any AttemptObserver
        private let transport: CountingTransport

        init(_ url: String, _ observer: any AttemptObserver, _ loop: EventLoop, _ transport: CountingTransport) {
            host = url.split(separator: "/")[1]
            self.observer = observer
            self.loop = loop
            self.transport = transport
        }

        func respond() {
            guard transport.remove(self) else { return }
            observer.attemptReceived(ResponseHead(status: 200), body: nil)
            observer.attemptEnded(nil, Timings())
        }

        func cancel() {
            if transport.remove(self) { observer.attemptEnded(PlugboardError(.cancelled, "cancelled"), Timings()) }
        }

        func suspend() {}
        func resume() {}
    }
}
