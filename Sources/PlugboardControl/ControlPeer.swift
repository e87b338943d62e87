import PlugboardCore
import PlugboardJSON
import PlugboardMessages
import PlugboardSystem
import Synchronization

/// The output for one peer, and the request that it has made. Its functions are called on any thread and never block.
///
/// Everything has a limit: one request is under way at a time, and the next line is read when it is done. Events that a
/// slow reader leaves are dropped, and it is told how many.
final class ControlPeer: Sendable {
    /// The most events that wait.
    private static let eventLimit = 1024
    /// Bytes of output, above which no event becomes a line, and no piece of a body is taken.
    private static let outputLimit = 256 << 10

    /// An event that waits to be written, without its head, whose size a server decides.
    private struct Waiting {
        let id: String
        let details: [String: ObservedEvent.Detail]
        let status: Int?
        let exchange: ObservedExchange?
        let time: Int64
    }

    private struct State {
        var output: [UInt8] = []
        var events: [Waiting] = []
        var lost = 0
        var isBusy = false
        var isClosed = false
        var task: Task<Void, Never>?
        var observation: Observation?
        var room: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())
    /// Wakes the thread that writes.
    private let wake: @Sendable () -> Void
    let commands: RunningCommands

    init(_ commands: RunningCommands, _ wake: @escaping @Sendable () -> Void) {
        (self.commands, self.wake) = (commands, wake)
    }

    // MARK: What the kernel and the request say

    /// Adds a line of a reply. The last one ends the request.
    func reply(_ id: JSONValue, _ name: String, _ value: JSONValue, isLast: Bool = true) {
        add(ControlText.line(["id": id, .init(name): value]))
        if isLast { state.withLock { ($0.isBusy, $0.task) = (false, nil) } }
        wake()
    }

    func add(_ line: [UInt8]) {
        state.withLock { if !$0.isClosed { $0.output += line } }
    }

    /// Follows the kernel's exchanges from now on; another call replaces the first.
    ///
    /// - Parameter names: The events to tell; nil for all.
    func observe(_ kernel: Kernel, _ names: Set<String>?) {
        let observation = kernel.observe(names) { [weak self] event, exchange in self?.tell(event, exchange) }
        let former = state.withLock { state in
            defer { state.observation = state.isClosed ? nil : observation }
            return state.observation
        }
        former?.end()
    }

    /// [loop]
    private func tell(_ event: ObservedEvent, _ exchange: ObservedExchange?) {
        let time = clockTime(CLOCK_REALTIME)
        let isFirst = state.withLock { state in
            guard state.events.count < ControlPeer.eventLimit else {
                state.lost += 1
                return false
            }
            state.events.append(
                Waiting(
                    id: event.id, details: event.details, status: event.head?.status, exchange: exchange, time: time))
            return state.events.count == 1
        }
        if isFirst { wake() }
    }

    /// Returns when the peer has read enough. Throws `cancelled` when it has gone.
    func waitForRoom() async throws(PlugboardError) {
        await withCheckedContinuation { continuation in
            let mustWait = state.withLock { state in
                guard state.output.count >= ControlPeer.outputLimit, !state.isClosed else { return false }
                state.room = continuation
                return true
            }
            if !mustWait { continuation.resume() }
        }
        if state.withLock({ $0.isClosed }) { throw PlugboardError(.cancelled, "The peer has gone.") }
    }

    // MARK: What the thread does

    /// Whether the next line may be read.
    var isReady: Bool { state.withLock { !$0.isBusy && $0.output.count < ControlPeer.outputLimit } }

    /// Whether there is something to write.
    var hasOutput: Bool { state.withLock { !$0.output.isEmpty || !$0.events.isEmpty } }

    /// Begins the request of a task.
    func begin(_ work: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            state.isBusy = true
            state.task = Task.detached { await work() }
        }
    }

    /// Hands over the bytes to write now: all replies, and events as far as there is room.
    func takeOutput() -> [UInt8] {
        let (output, events, lost, room) = state.withLock { state in
            let count = state.output.count < ControlPeer.outputLimit ? min(state.events.count, 128) : 0
            let taken = (state.output, Array(state.events.prefix(count)), state.lost, state.room)
            state.output = []
            state.events.removeFirst(count)
            (state.lost, state.room) = (0, nil)
            return taken
        }
        room?.resume()
        var bytes = output
        for waiting in events {
            bytes += ControlText.line(
                ControlText.event(
                    waiting.id, waiting.details, waiting.status, waiting.exchange, at: waiting.time))
        }
        if lost > 0 { bytes += ControlText.line(["lost": .number(JSONNumber(lost))]) }
        return bytes
    }

    /// The peer has gone, or the socket is closed.
    func close() {
        let (task, observation, room) = state.withLock { state in
            defer {
                state.isClosed = true
                (state.task, state.observation, state.room, state.output, state.events) = (nil, nil, nil, [], [])
            }
            return (state.task, state.observation, state.room)
        }
        observation?.end()
        task?.cancel()
        room?.resume()
    }
}

/// Counts the commands of plugins that the socket has given and that have not replied, so that peers that come and go
/// cannot begin more and more of them. [any]
final class RunningCommands: Sendable {
    private static let limit = 16
    private let count = Atomic(0)

    /// Runs a command, unless too many run already.
    func run<Reply>(
        _ command: () async throws(PlugboardError) -> Reply
    ) async throws(PlugboardError) -> Reply {
        defer { count.subtract(1, ordering: .relaxed) }
        guard count.add(1, ordering: .relaxed).oldValue < RunningCommands.limit else {
            throw PlugboardError(
                .controlRequest, "\(RunningCommands.limit) commands have not replied yet. Ask again later.")
        }
        return try await command()
    }
}
