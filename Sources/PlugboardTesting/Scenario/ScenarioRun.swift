import CurlTransport
import Plugboard
import PlugboardKit
import Synchronization

/// One scenario in a kernel of its own.
///
/// Everything that runs on the loop is deterministic: before a step looks at what happened, the loop has come to rest. For
/// what runs elsewhere (a plugin's own threads and tasks) a step waits until it has happened, at most as long as `patience`.
package final class ScenarioRun: Sendable {
    private struct Ended: Sendable {
        var head: ResponseHead?
        var body: Bytes?
        var trailers = Fields()
        var attempts = 0
        var error: PlugboardError?
    }

    private struct State {
        var handles: [(name: String, handle: ExchangeHandle)] = []
        var ended: [String: Ended] = [:]
        var expectedFailures: Set<String> = []
        /// Attempts that a step has looked at.
        var checked = 0
        /// Events that a step has looked at.
        var told = 0
    }

    private static let bodyLimit = ByteCount.mebibytes(64)

    private let bench: Workbench
    private let wire: ScenarioWire
    private let patience: Duration
    private let plugin: String
    private let state = Mutex(State())

    /// - Parameters:
    ///   - path: Of the shared object.
    ///   - folder: Where the scenarios' relative paths begin.
    ///   - patience: How long a step waits for what does not happen on the loop, in real time.
    package static func perform(
        _ scenario: ScenarioFile.Scenario, of file: ScenarioFile, plugin path: String, folder: String,
        loader: any Loader, patience: Duration
    ) async throws(ScenarioFault) {
        let run: ScenarioRun
        do {
            run = try ScenarioRun(scenario, of: file, plugin: path, folder: folder, loader: loader, patience)
        } catch {
            throw ScenarioFault(place: "", reason: error.reason)
        }
        do throws(ScenarioFault) {
            for step in scenario.steps { try await run.perform(step) }
            try run.checkEnd()
        } catch {
            await run.end()
            throw error
        }
        await run.end()
    }

    private init(
        _ scenario: ScenarioFile.Scenario, of file: ScenarioFile, plugin path: String, folder: String,
        loader: any Loader, _ patience: Duration
    ) throws(PlugboardError) {
        let configuration = try file.configuration(scenario, plugin: path, folder: folder)
        let wire = ScenarioWire()
        let clock = file.wallClock.map { ManualClock(wallClock: $0) } ?? ManualClock()
        bench = try Workbench(
            configuration, catalog: .bundled, loader: loader, transport: wire.transport, clock: clock)
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

    private func perform(_ step: ScenarioStep) async throws(ScenarioFault) {
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
                throw ScenarioFault(place: "\(step.place).nothingSent", reason: "\(ScenarioRun.shown(sent)) was sent")
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

    private func cancel(_ name: String, at place: String) throws(ScenarioFault) {
        guard let handle = state.withLock({ $0.handles.last { $0.name == name }?.handle }) else {
            throw ScenarioFault(place: place, reason: "no step before has sent \(ScenarioPattern.shown(name))")
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

    private func answer(_ respond: ScenarioStep.Respond, at place: String) async throws(ScenarioFault) {
        let isAnswered = await wait { [wire] in
            let number = respond.number ?? wire.firstOpen
            return number.flatMap { wire.answer($0, respond.answer) ? true : nil }
        }
        if isAnswered == nil {
            throw ScenarioFault(
                place: place, reason: "there is no request to answer; \(wire.count) were sent, and all are over")
        }
    }

    // MARK: Expectations

    private func check(_ expected: ScenarioStep.Sent, at place: String) async throws(ScenarioFault) {
        let index = state.withLock { state in
            defer { state.checked += 1 }
            return state.checked
        }
        guard let sent = await wait({ [wire] in wire[index] }) else {
            throw ScenarioFault(place: place, reason: "nothing more was sent; \(index) were sent before")
        }
        try expected.method?.check(sent.method.name, at: "\(place).method")
        try expected.url?.check(sent.url, at: "\(place).url")
        try check(expected.fields, sent.fields, at: "\(place).fields")
        try expected.body?.check(sent.body, at: "\(place).body")
    }

    private func check(
        _ patterns: [(name: String, pattern: ScenarioPattern)], _ fields: Fields, at place: String
    ) throws(ScenarioFault) {
        for (name, pattern) in patterns {
            let values = fields.values(FieldName(name))
            // Several fields of a name are one with commas (RFC 9110 §5.3).
            try pattern.check(values.isEmpty ? nil : values.joined(separator: ", "), at: "\(place).\(printable(name))")
        }
    }

    private func outcome(_ expected: ScenarioStep.Outcome, at place: String) async throws(ScenarioFault) -> Ended {
        guard let name = state.withLock({ expected.name ?? $0.handles.last?.name }) else {
            throw ScenarioFault(place: place, reason: "no step before has sent anything")
        }
        guard let ended = await wait({ [self] in state.withLock { $0.ended[name] } }) else {
            throw ScenarioFault(place: place, reason: "the exchange \(ScenarioPattern.shown(name)) has not ended")
        }
        if expected.code != nil || ended.error == nil { state.withLock { _ = $0.expectedFailures.insert(name) } }
        return ended
    }

    private func checkReceived(_ expected: ScenarioStep.Outcome, at place: String) async throws(ScenarioFault) {
        let ended = try await outcome(expected, at: place)
        guard let head = ended.head, ended.error == nil else {
            throw ScenarioFault(place: place, reason: "the exchange failed: \(ScenarioRun.shown(ended.error))")
        }
        if let status = expected.status, status != head.status {
            throw ScenarioFault(place: "\(place).status", reason: "is \(head.status), expected \(status)")
        }
        if let attempts = expected.attempts, attempts != ended.attempts {
            throw ScenarioFault(place: "\(place).attempts", reason: "is \(ended.attempts), expected \(attempts)")
        }
        try check(expected.fields, head.fields, at: "\(place).fields")
        try expected.body?.check(ended.body, at: "\(place).body")
        try check(expected.trailers, ended.trailers, at: "\(place).trailers")
    }

    private func checkFailed(_ expected: ScenarioStep.Outcome, at place: String) async throws(ScenarioFault) {
        let ended = try await outcome(expected, at: place)
        guard let error = ended.error else {
            throw ScenarioFault(
                place: place, reason: "the exchange did not fail; its status is \(ended.head?.status ?? 0)")
        }
        state.withLock { state in
            if let name = expected.name ?? state.handles.last?.name { _ = state.expectedFailures.insert(name) }
        }
        try expected.code?.check(error.code.name, at: "\(place).code")
        try expected.reason?.check(error.reason, at: "\(place).reason")
        try expected.plugin?.check(error.plugin, at: "\(place).plugin")
    }

    private func check(
        _ result: Result<Bytes, PlugboardError>, _ command: ScenarioStep.Command, at place: String
    ) throws(ScenarioFault) {
        switch result {
        case .success(let bytes):
            if command.failure != nil {
                throw ScenarioFault(place: "\(place).fails", reason: "the command did not fail")
            }
            try command.reply?.check(bytes, at: "\(place).reply")
        case .failure(let error):
            guard let failure = command.failure else {
                throw ScenarioFault(place: place, reason: "the command failed: \(ScenarioRun.shown(error))")
            }
            try failure.check(error.code.name, at: "\(place).fails")
        }
    }

    private func check(_ expected: ScenarioStep.Event, at place: String) async throws(ScenarioFault) {
        let first = state.withLock { $0.told }
        let found = await wait { [bench] in
            bench.events.indices.dropFirst(first).first { bench.events[$0].id == expected.id }
        }
        guard let found else {
            throw ScenarioFault(place: place, reason: "no event \(ScenarioPattern.shown(expected.id)) was told")
        }
        state.withLock { $0.told = found + 1 }
        let event = bench.events[found]
        for (name, pattern) in expected.details {
            let text = event.text(name) ?? event.integer(name).map { "\($0)" }
            try pattern.check(text, at: "\(place).details.\(printable(name))")
        }
    }

    private func checkLog(_ pattern: ScenarioPattern, at place: String) async throws(ScenarioFault) {
        let found = await wait { [bench, plugin] in
            bench.log.contains { line in
                line.source == plugin && (try? pattern.check(line.text, at: "")) != nil ? true : false
            } ? true : nil
        }
        if found == nil {
            throw ScenarioFault(
                place: place,
                reason: "no such line was logged; there are \(bench.log.filter { $0.source == plugin }.count)")
        }
    }

    private func checkCounter(_ name: String, _ value: Int64, at place: String) async throws(ScenarioFault) {
        let found = await wait { [bench] in bench.kernel.counters[name] == value ? true : nil }
        if found == nil {
            let now = bench.kernel.counters[name].map { "\($0)" } ?? "missing"
            throw ScenarioFault(place: "\(place).\(printable(name))", reason: "is \(now), expected \(value)")
        }
    }

    /// What no step has looked at must not be what an author would want to know.
    private func checkEnd() throws(ScenarioFault) {
        if let number = wire.firstOpen, let sent = wire[number - 1] {
            throw ScenarioFault(
                place: "", reason: "\(ScenarioRun.shown(sent)) was sent (number \(number)), and no step answers it.")
        }
        let failure = state.withLock { state in
            state.ended.first { $0.value.error != nil && !state.expectedFailures.contains($0.key) }
        }
        if let failure {
            throw ScenarioFault(
                place: "",
                reason: "the exchange \(ScenarioPattern.shown(failure.key)) failed, and no step expects it: "
                    + "\(ScenarioRun.shown(failure.value.error))")
        }
    }

    private static func shown(_ sent: ScriptedTransport.Sent) -> String {
        "\(sent.method.name) \(redacted(url: sent.url))"
    }

    private static func shown(_ error: PlugboardError?) -> String {
        error.map { "\($0.code.name): \(printable($0.reason))" } ?? "no reason"
    }

    // MARK: Waiting

    /// Everything that can be seen from outside; if it stays the same, nothing happens.
    private var activity: Int {
        wire.count + bench.events.count + bench.log.count + state.withLock { $0.ended.count }
    }

    /// Until the loop has gone round several times without anything to be seen.
    private func settle() async {
        var (last, same) = (activity, 0)
        while same < 20 {
            await Task(executorPreference: bench.kernel.executor) {}.value
            let now = activity
            same = now == last ? same + 1 : 0
            last = now
        }
    }

    /// What is found once the loop is at rest, or later, as long as patience lasts.
    private func wait<Found: Sendable>(_ look: @escaping @Sendable () -> Found?) async -> Found? {
        await settle()
        let deadline = ContinuousClock.now + patience
        while true {
            if let found = look() { return found }
            if ContinuousClock.now >= deadline { return nil }
            try? await Task.sleep(for: .milliseconds(2))
        }
    }
}
