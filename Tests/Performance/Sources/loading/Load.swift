@preconcurrency import Glibc
import Synchronization

/// What a client received.
public struct Received: Sendable {
    public var status: Int
    public var bytes: Int

    public init(status: Int, bytes: Int) {
        self.status = status
        self.bytes = bytes
    }
}

/// Sends requests with tasks of Swift, and prints the line that all clients print.
public final class Load: Sendable {
    private let arguments: Arguments
    private let send: @Sendable () async throws -> Received
    private let next = Atomic<Int>(0)
    private let failed = Atomic<Int>(0)
    private let latencies: Latencies

    public init(_ arguments: Arguments, send: @escaping @Sendable () async throws -> Received) {
        self.arguments = arguments
        self.send = send
        latencies = Latencies(arguments.requests)
    }

    /// Performs the requests. One request comes first that does not count, so that what is made once does not count
    /// either.
    public func run() async {
        await sendOne()
        let (start, cpu) = (now(), cpuMicroseconds())
        if arguments.rate > 0 { await sendAsPlanned(start) } else { await sendAll() }
        let elapsed = Double(now() - start) / 1e9
        let count = Double(arguments.requests)
        var line = "\(Int(count / elapsed)) requests/s, \(hundredths((cpuMicroseconds() - cpu) / count)) CPU us/request"
        line += ", \(hundredths(elapsed)) s elapsed, \(failed.load(ordering: .relaxed)) failed"
        if arguments.rate > 0 { line += latencies.text }
        print(line)
    }

    private func sendOne() async {
        do {
            let received = try await send()
            let isWhole = arguments.length < 0 || received.bytes == arguments.length
            if received.status == 200 && isWhole { return }
            fail("status \(received.status), \(received.bytes) bytes")
        } catch {
            fail("\(error)")
        }
    }

    private func fail(_ reason: String) {
        if failed.add(1, ordering: .relaxed).oldValue == 0 { fputs("failed: \(reason)\n", stderr) }
    }

    // MARK: As many as possible

    private func sendAll() async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<arguments.concurrency {
                group.addTask { [self] in
                    while next.add(1, ordering: .relaxed).oldValue < arguments.requests { await sendOne() }
                }
            }
        }
    }

    // MARK: At planned times

    /// Sends a task's worth of requests at every millisecond, as a program does that other programs call. The latency
    /// of a request counts from its planned time, so that a stall counts for all requests that it delays.
    private func sendAsPlanned(_ start: UInt64) async {
        let places = Places(arguments.concurrency)
        await withTaskGroup(of: Void.self) { group in
            for await due in ticks(start) {
                while next.load(ordering: .relaxed) < due {
                    let number = next.add(1, ordering: .relaxed).oldValue
                    // At most `concurrency` requests at once; the others wait, and their time counts.
                    await places.take()
                    group.addTask { [self] in
                        await sendOne()
                        latencies.set(number, now() - start - plannedNanoseconds(number))
                        places.give()
                    }
                }
            }
        }
    }

    /// The planned time of a request after the start: a whole number of milliseconds.
    private func plannedNanoseconds(_ number: Int) -> UInt64 { UInt64(number * 1000 / arguments.rate) * 1_000_000 }

    /// The number of requests that are due, at every millisecond, from a thread of its own.
    private func ticks(_ start: UInt64) -> AsyncStream<Int> {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
        let arguments = arguments
        startThread {
            var tick = 0
            while true {
                // All requests with a planned time up to this millisecond.
                let due = min(((tick + 1) * arguments.rate + 999) / 1000, arguments.requests)
                continuation.yield(due)
                if due == arguments.requests { break }
                tick += 1
                sleep(until: start + UInt64(tick) * 1_000_000)
            }
            continuation.finish()
        }
        return stream
    }
}

/// Limits how many requests are under way.
private final class Places: Sendable {
    private struct State {
        var free: Int
        var waiting: CheckedContinuation<Void, Never>?

        mutating func take() -> Bool {
            if free == 0 { return false }
            free -= 1
            return true
        }
    }

    private let state: Mutex<State>

    init(_ count: Int) { state = Mutex(State(free: count)) }

    /// Waits for a free place. Called by one task only.
    func take() async {
        if state.withLock({ $0.take() }) { return }
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.take() { return true }
                state.waiting = continuation
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    func give() {
        let waiting = state.withLock { state in
            defer { state.waiting = nil }
            // A place passes directly to the task that waits for it.
            if state.waiting == nil { state.free += 1 }
            return state.waiting
        }
        waiting?.resume()
    }
}
