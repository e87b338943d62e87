import PlugboardCore
import PlugboardKit

/// The expectations of steps.
extension ScenarioRun {
    func check(_ expected: ScenarioStep.Sent, at path: String) async throws(ScenarioError) {
        let index = state.withLock { state in
            defer { state.checked += 1 }
            return state.checked
        }
        guard let sent = await wait({ [wire] in wire[index] }) else {
            throw ScenarioError(path: path, reason: "nothing more was sent; \(index) were sent before")
        }
        try expected.method?.check(sent.method.name, at: "\(path).method")
        try expected.url?.check(sent.url, at: "\(path).url")
        try check(expected.fields, sent.fields, at: "\(path).fields")
        try expected.body?.check(sent.body, at: "\(path).body")
    }

    private func check(
        _ patterns: [(name: String, pattern: ScenarioPattern)], _ fields: Fields, at path: String
    ) throws(ScenarioError) {
        for (name, pattern) in patterns {
            let values = fields.values(FieldName(name))
            // Several fields of one name are joined by commas (RFC 9110 §5.3).
            try pattern.check(
                values.isEmpty ? nil : values.joined(separator: ", "), at: "\(path).\(Printable.text(name))")
        }
    }

    private func outcome(_ expected: ScenarioStep.Outcome, at path: String) async throws(ScenarioError) -> Ended {
        guard let name = state.withLock({ expected.name ?? $0.handles.last?.name }) else {
            throw ScenarioError(path: path, reason: "no step before has sent anything")
        }
        guard let ended = await wait({ [self] in state.withLock { $0.ended[name] } }) else {
            throw ScenarioError(path: path, reason: "the exchange \(ScenarioPattern.shown(name)) has not ended")
        }
        if expected.code != nil || ended.error == nil { state.withLock { _ = $0.expectedFailures.insert(name) } }
        return ended
    }

    func checkReceived(_ expected: ScenarioStep.Outcome, at path: String) async throws(ScenarioError) {
        let ended = try await outcome(expected, at: path)
        guard let head = ended.head, ended.error == nil else {
            throw ScenarioError(path: path, reason: "the exchange failed: \(ScenarioRun.shown(ended.error))")
        }
        if let status = expected.status, status != head.status {
            throw ScenarioError(path: "\(path).status", reason: "is \(head.status), expected \(status)")
        }
        if let attempts = expected.attempts, attempts != ended.attempts {
            throw ScenarioError(path: "\(path).attempts", reason: "is \(ended.attempts), expected \(attempts)")
        }
        try check(expected.fields, head.fields, at: "\(path).fields")
        try expected.body?.check(ended.body, at: "\(path).body")
        try check(expected.trailers, ended.trailers, at: "\(path).trailers")
    }

    func checkFailed(_ expected: ScenarioStep.Outcome, at path: String) async throws(ScenarioError) {
        let ended = try await outcome(expected, at: path)
        guard let error = ended.error else {
            throw ScenarioError(
                path: path, reason: "the exchange did not fail; its status is \(ended.head?.status ?? 0)")
        }
        state.withLock { state in
            if let name = expected.name ?? state.handles.last?.name { _ = state.expectedFailures.insert(name) }
        }
        try expected.code?.check(error.code.name, at: "\(path).code")
        try expected.reason?.check(error.reason, at: "\(path).reason")
        try expected.plugin?.check(error.plugin, at: "\(path).plugin")
    }

    func check(
        _ result: Result<Bytes, PlugboardError>, _ command: ScenarioStep.Command, at path: String
    ) throws(ScenarioError) {
        switch result {
        case .success(let bytes):
            if command.failure != nil {
                throw ScenarioError(path: "\(path).fails", reason: "the command did not fail")
            }
            try command.reply?.check(bytes, at: "\(path).reply")
        case .failure(let error):
            guard let failure = command.failure else {
                throw ScenarioError(path: path, reason: "the command failed: \(ScenarioRun.shown(error))")
            }
            try failure.check(error.code.name, at: "\(path).fails")
        }
    }

    func check(_ expected: ScenarioStep.Event, at path: String) async throws(ScenarioError) {
        let first = state.withLock { $0.checkedEvents }
        let found = await wait { [bench] in
            bench.events.indices.dropFirst(first).first { bench.events[$0].id == expected.id }
        }
        guard let found else {
            throw ScenarioError(path: path, reason: "no event \(ScenarioPattern.shown(expected.id)) came")
        }
        state.withLock { $0.checkedEvents = found + 1 }
        let event = bench.events[found]
        for (name, pattern) in expected.details {
            try pattern.check(event[name], at: "\(path).details.\(Printable.text(name))")
        }
    }

    func checkLog(_ pattern: ScenarioPattern, at path: String) async throws(ScenarioError) {
        let found = await wait { [bench, plugin] in
            bench.log.contains { line in
                line.source == plugin && (try? pattern.check(line.text, at: "")) != nil ? true : false
            } ? true : nil
        }
        if found == nil {
            throw ScenarioError(
                path: path,
                reason:
                    "no such line was logged; the plugin logged \(bench.log.filter { $0.source == plugin }.count) lines"
            )
        }
    }

    func checkCounter(_ name: String, _ value: Int64, at path: String) async throws(ScenarioError) {
        let found = await wait { [self] in self.value(ofMetric: name) == value ? true : nil }
        if found == nil {
            let now = self.value(ofMetric: name).map { "\($0)" } ?? "missing"
            throw ScenarioError(path: "\(path).\(Printable.text(name))", reason: "is \(now), expected \(value)")
        }
    }

    /// A metric with labels is named `ID.name{label=value,other=value}`. The value of a histogram is the number of its
    /// recorded values.
    private func value(ofMetric name: String) -> Int64? {
        let metric = bench.kernel.metrics.first { metric in
            let labels = metric.labels.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
            return name == metric.name + (labels.isEmpty ? "" : "{\(labels)}")
        }
        return metric.map { $0.kind == .histogram ? Int64($0.counts.reduce(0, +)) : $0.value }
    }

    /// Fails for requests without a response and for failed exchanges that no step mentions.
    func checkEnd() throws(ScenarioError) {
        if let number = wire.firstOpen, let sent = wire[number - 1] {
            throw ScenarioError(
                path: "", reason: "\(ScenarioRun.shown(sent)) was sent (number \(number)), and no step responds to it.")
        }
        let failure = state.withLock { state in
            state.ended.first { $0.value.error != nil && !state.expectedFailures.contains($0.key) }
        }
        if let failure {
            throw ScenarioError(
                path: "",
                reason: "the exchange \(ScenarioPattern.shown(failure.key)) failed, and no step expects it: "
                    + "\(ScenarioRun.shown(failure.value.error))")
        }
    }
}
