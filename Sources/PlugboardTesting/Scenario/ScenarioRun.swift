import EventLoop
import PlugboardCore
import PlugboardKit
import Synchronization
import Transporting

/// One scenario in a kernel of its own.
///
/// Everything that runs on the loop is deterministic: before a step looks at what happened, the loop has come to rest. For
/// what runs elsewhere (a plugin's own threads and tasks) a step waits until it has happened, at most as long as `patience`.
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
        /// Attempts that a step has looked at.
        var checked = 0
        /// Events that a step has looked at.
        var told = 0
    }

    private static let bodyLimit = ByteCount.mebibytes(64)

    let bench: Workbench
    let wire: ScenarioWire
    private let patience: Duration
    let plugin: String
    let state = Mutex(State())

    /// - Parameters:
    ///   - path: Of the shared object.
    ///   - catalog: The linked plugins that the scenarios may name.
    ///   - folder: Where the scenarios' relative paths begin.
    ///   - patience: How long a step waits for what does not happen on the loop, in real time.
    package static func perform(
        _ scenario: ScenarioFile.Scenario, of file: ScenarioFile, plugin path: String, folder: String,
        catalog: Catalog, loader: any Loader, patience: Duration
    ) async throws(ScenarioError) {
        let run: ScenarioRun
        do {
            run = try ScenarioRun(
                scenario, of: file, plugin: path, folder: folder, catalog: catalog, loader: loader, patience)
        } catch {
            throw ScenarioError(place: "", reason: error.reason)
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
        catalog: Catalog, loader: any Loader, _ patience: Duration
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
        await bench.kernel.shutDown()
    }

    // MARK: Steps

    private func perform(_ step: ScenarioStep) async throws(ScenarioError) {
        if let time = step.wallClock { bench.clock.setWallClock(time) }
        if let send = step.send { begin(send) }
        if let name = step.cancel { try cancel(name, at: "\(step.place).cancel") }
        let reply = step.command.map { command in
            Task { [kernel = bench.kernel, plugin] in await ScenarioRun.reply(kernel, plugin, command) }
        }
        if let time = step.advance {
            await settle()
            bench.clock.advance(by: time)
        }
        if let sent = step.sent { try await check(sent, at: "\(step.place).sent") }
        if let respond = step.respond { try await answer(respond, at: step.place) }
        if let outcome = step.received { try await checkReceived(outcome, at: "\(step.place).received") }
        if let outcome = step.failed { try await checkFailed(outcome, at: "\(step.place).failed") }
        if let command = step.command, let reply {
            let result = await reply.value
            try check(result, command, at: "\(step.place).command")
        }
        if let event = step.event { try await check(event, at: "\(step.place).event") }
        if let log = step.log { try await checkLog(log, at: "\(step.place).log") }
        for (name, value) in step.counters { try await checkCounter(name, value, at: "\(step.place).counters") }
        if step.isNothingSent {
            await settle()
            let checked = state.withLock { $0.checked }
            if let sent = wire[checked] {
                throw ScenarioError(place: "\(step.place).nothingSent", reason: "\(ScenarioRun.shown(sent)) was sent")
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

    private func cancel(_ name: String, at place: String) throws(ScenarioError) {
        guard let handle = state.withLock({ $0.handles.last { $0.name == name }?.handle }) else {
            throw ScenarioError(place: place, reason: "no step before has sent \(ScenarioPattern.shown(name))")
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

    private func answer(_ respond: ScenarioStep.Respond, at place: String) async throws(ScenarioError) {
        let isAnswered = await wait { [wire] in
            let number = respond.number ?? wire.firstOpen
            return number.flatMap { wire.answer($0, respond.answer) ? true : nil }
        }
        if isAnswered == nil {
            throw ScenarioError(
                place: place, reason: "there is no request to answer; \(wire.count) were sent, and all are over")
        }
    }

    static func shown(_ sent: ScriptedTransport.Sent) -> String {
        "\(sent.method.name) \(redacted(url: sent.url))"
    }

    static func shown(_ error: PlugboardError?) -> String {
        error.map { "\($0.code.name): \(printable($0.reason))" } ?? "no reason"
    }

    // MARK: Waiting

    /// Everything that can be seen from outside; if it stays the same, nothing happens.
    private var activity: Int {
        wire.count + bench.events.count + bench.log.count + state.withLock { $0.ended.count }
    }

    /// Until the loop has gone round several times without anything to be seen.
    func settle() async {
        var (last, same) = (activity, 0)
        while same < 20 {
            await Task(executorPreference: bench.kernel.executor) {}.value
            let now = activity
            same = now == last ? same + 1 : 0
            last = now
        }
    }

    /// What is found once the loop is at rest, or later, as long as patience lasts.
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
