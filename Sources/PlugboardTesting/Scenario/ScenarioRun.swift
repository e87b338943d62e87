import PlugboardCore
import PlugboardEventLoop
import PlugboardKit
import PlugboardTransport
import Synchronization

/// One scenario in a kernel of its own.
///
/// Everything that runs on the loop is deterministic: a step waits until the loop is idle before it checks anything.
/// For work on other threads (a plugin's own threads and tasks), a step waits up to `patience` until it is done.
package final class ScenarioRun: Sendable {
    struct Ended: Sendable {
        var head: ResponseHead?
        var body: Bytes?
        var trailers = Fields()
        var attempts = 0
        var error: PlugboardError?
    }

    struct State {
        var handles: [(name: String, handle: ExchangeHandle)] = []
        var ended: [String: Ended] = [:]
        var expectedFailures: Set<String> = []
        /// The number of attempts that steps have checked.
        var checked = 0
        /// The number of events that steps have checked.
        var checkedEvents = 0
    }

    private static let bodyLimit = ByteCount.mebibytes(64)

    let bench: Workbench
    let wire: ScenarioWire
    private let patience: Duration
    let plugin: String
    let state = Mutex(State())

    /// - Parameters:
    ///   - path: The path of the shared object.
    ///   - catalog: The linked plugins that the scenarios may name.
    ///   - folder: The folder at which relative paths of the scenarios begin.
    ///   - patience: How long a step waits for work on other threads, in real time.
    package static func perform(
        _ scenario: ScenarioFile.Scenario, of file: ScenarioFile, plugin path: String, folder: String,
        catalog: Catalog, loader: any PluginFileLoader, patience: Duration
    ) async throws(ScenarioError) {
        let run: ScenarioRun
        do {
            run = try ScenarioRun(
                scenario, of: file, plugin: path, folder: folder, catalog: catalog, loader: loader, patience)
        } catch {
            throw ScenarioError(path: "", reason: error.reason)
        }
        do throws(ScenarioError) {
            for step in scenario.steps { try await run.perform(step) }
            await run.settle()
            try run.checkEnd()
        } catch {
            await run.end()
            throw error
        }
        await run.end()
    }

    private init(
        _ scenario: ScenarioFile.Scenario, of file: ScenarioFile, plugin path: String, folder: String,
        catalog: Catalog, loader: any PluginFileLoader, _ patience: Duration
    ) throws(PlugboardError) {
        let configuration = try file.configuration(scenario, plugin: path, folder: folder)
        let wire = ScenarioWire()
        let clock = file.wallClock.map { ManualClock(wallClock: $0) } ?? ManualClock()
        bench = try Workbench(
            configuration, catalog: catalog, loader: loader, transport: wire.transport, clock: clock)
        self.wire = wire
        self.patience = patience
        let beside = Set(configuration.plugins.dropFirst().compactMap(\.id))
        plugin = bench.kernel.plugins.first { !beside.contains($0.id) }?.id ?? ""
    }

    private func end() async {
        for (_, handle) in state.withLock({ $0.handles }) { handle.cancel() }
        // The clock stands still, so that waiting for a detached sub-request without a response would never end.
        await bench.kernel.shutDown(within: .zero)
    }

    // MARK: Steps

    private func perform(_ step: ScenarioStep) async throws(ScenarioError) {
        if let time = step.wallClock { bench.clock.setWallClock(time) }
        if let send = step.send { begin(send) }
        if let name = step.cancel { try cancel(name, at: "\(step.path).cancel") }
        let reply = step.command.map { command in
            Task { [kernel = bench.kernel, plugin] in await ScenarioRun.reply(kernel, plugin, command) }
        }
        if let time = step.advance {
            await settle()
            bench.clock.advance(by: time)
        }
        if let sent = step.sent { try await check(sent, at: "\(step.path).sent") }
        if let respond = step.respond { try await complete(respond, at: step.path) }
        if let outcome = step.received { try await checkReceived(outcome, at: "\(step.path).received") }
        if let outcome = step.failed { try await checkFailed(outcome, at: "\(step.path).failed") }
        if let command = step.command, let reply {
            let result = await reply.value
            try check(result, command, at: "\(step.path).command")
        }
        if let event = step.event { try await check(event, at: "\(step.path).event") }
        if let log = step.log { try await checkLog(log, at: "\(step.path).log") }
        for (name, value) in step.counters { try await checkCounter(name, value, at: "\(step.path).counters") }
        if step.isNothingSent {
            await settle()
            let checked = state.withLock { $0.checked }
            if let sent = wire[checked] {
                throw ScenarioError(path: "\(step.path).nothingSent", reason: "\(ScenarioRun.shown(sent)) was sent")
            }
        }
    }

    private func begin(_ send: ScenarioStep.Send) {
        let handle = bench.begin(send.request)
        state.withLock { $0.handles.append((send.name, handle)) }
        Task {
            var ended = Ended()
            do throws(PlugboardError) {
                let response = try await handle.response
                ended.head = response.head
                ended.attempts = response.attempts
                var iterator = response.body.makeAsyncIterator()
                var pieces: [Bytes] = []
                var count = 0
                while let piece = try await iterator.next(isolation: nil), count <= ScenarioRun.bodyLimit.bytes {
                    pieces.append(piece)
                    count += piece.count
                }
                ended.body = Bytes.joined(pieces)
                ended.trailers = iterator.trailers
            } catch {
                ended.error = error
            }
            state.withLock { $0.ended[send.name] = ended }
        }
    }

    private func cancel(_ name: String, at path: String) throws(ScenarioError) {
        guard let handle = state.withLock({ $0.handles.last { $0.name == name }?.handle }) else {
            throw ScenarioError(path: path, reason: "no step before has sent \(ScenarioPattern.shown(name))")
        }
        state.withLock { _ = $0.expectedFailures.insert(name) }
        handle.cancel()
    }

    private static func reply(
        _ kernel: Kernel, _ plugin: String, _ command: ScenarioStep.Command
    ) async -> Result<Bytes, PlugboardError> {
        do throws(PlugboardError) {
            switch try await kernel.command(plugin, command.name, command.arguments) {
            case .json(let text): return .success(Bytes(text))
            case .body(let body): return .success(try await body.collect(upTo: bodyLimit))
            }
        } catch {
            return .failure(error)
        }
    }

    private func complete(_ respond: ScenarioStep.Respond, at path: String) async throws(ScenarioError) {
        let isCompleted = await wait { [wire] in
            let number = respond.number ?? wire.firstOpen
            return number.flatMap { wire.complete($0, respond.outcome) ? true : nil }
        }
        if isCompleted == nil {
            throw ScenarioError(
                path: path, reason: "no request waits for a response; \(wire.count) were sent, and all are over")
        }
    }

    static func shown(_ sent: ScriptedTransport.Sent) -> String {
        "\(sent.method.name) \(Printable.url(sent.url))"
    }

    static func shown(_ error: PlugboardError?) -> String {
        error.map { "\($0.code.name): \(Printable.text($0.reason))" } ?? "no reason"
    }

    // MARK: Waiting

    /// A number that increases with every externally visible event.
    private var activity: Int {
        wire.count + bench.events.count + bench.log.count + state.withLock { $0.ended.count }
    }

    /// Waits until several turns of all loops have passed without any activity.
    func settle() async {
        var (last, same) = (activity, 0)
        while same < 20 {
            for executor in bench.kernel.executors { await Task(executorPreference: executor) {}.value }
            let now = activity
            same = now == last ? same + 1 : 0
            last = now
        }
    }

    /// Looks when the loop is idle, and then repeatedly for up to `patience`; nil if nothing is found.
    func wait<Found: Sendable>(_ look: @escaping @Sendable () -> Found?) async -> Found? {
        await settle()
        let deadline = ContinuousClock.now + patience
        while true {
            if let found = look() { return found }
            if ContinuousClock.now >= deadline { return nil }
            try? await Task.sleep(for: .milliseconds(2))
        }
    }
}
