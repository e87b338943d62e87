import PlugboardCore

extension Explanation: CustomStringConvertible {
    /// A table for people, ordered by the beginning of each step. Sub-requests are indented.
    public var description: String { table(locations: \.locations) }

    /// - Parameter locations: Returns the locations at which a plugin is enabled.
    package func table(locations: (EnabledPlugin) -> [String]) -> String {
        var text = "\(Printable.text("\(method) \(url)"))\n"
        for attribute in attributes {
            let value = attribute.value.map { Printable.text($0) } ?? "(secret)"
            text += "  \(attribute.name) = \(value)\(attribute.isOfOrigin ? "  (of the origin)" : "")\n"
        }
        let head = ["AT", "WHO", "WHAT", "DECIDED", "TOOK", "CHANGED, OR MORE"]
        let rows = nestedSteps.map { step, depth in
            var row = [Explanation.milliseconds(step.at)] + cells(step)
            row[1] = String(repeating: "  ", count: depth) + row[1] + number(step)
            return row
        }
        text += "\n" + Table(rows: [head] + rows).text + "\n"
        let parts = plugins.map {
            ["  \($0.id)", Printable.text($0.linkage.text), Printable.text(locations($0).joined(separator: ", "))]
        }
        text += "\(summary)\n" + (parts.isEmpty ? "" : "\nTaking part:\n" + Table(rows: parts).text)
        return text
    }

    private var summary: String {
        let time = Explanation.milliseconds(took)
        if let dryPlugin {
            return "Stopped at a sub-request of \(dryPlugin), which a dry run does not send; nothing was sent."
        }
        if wasNotSent { return "Stopped before the first attempt; nothing was sent." }
        if let failure { return "Failed after \(time): \(failure.code)" }
        let attempts = steps.count { step in
            if step.exchange == 0, case .attemptBegan = step.kind { true } else { false }
        }
        let subRequests = steps.map(\.exchange).max() ?? 0
        return "Status \(status ?? 0), a body of \(bodyLength) bytes, attempts: \(attempts), "
            + (subRequests == 0 ? "" : "sub-requests: \(subRequests), ") + time
    }

    /// The number of the step's sub-request, if there are several of them.
    private func number(_ step: Step) -> String {
        switch step.kind {
        case .subRequest, .completed: ""
        case .call, .attemptBegan, .attemptEnded, .fact:
            step.exchange > 0 && steps.contains { $0.exchange > 1 } ? " (\(step.exchange))" : ""
        }
    }

    /// The cells of a row after the time.
    private func cells(_ step: Step) -> [String] {
        switch step.kind {
        case .subRequest(let request):
            let method = Printable.text(request.method.name)
            let how = request.isDetached ? "begins, detached" : "begins"
            return ["sub-request \(step.exchange)", method, how, "", Printable.text(request.url)]
        case .call(let call):
            let hook = call.visit == .first ? call.hook : "\(call.hook) (\(call.visit))"
            let edits = call.edits.map { Printable.text($0) }.joined(separator: ", ")
            return [call.plugin, hook, call.verdict, Explanation.milliseconds(call.took.nanoseconds), edits]
        case .attemptBegan(let number):
            return ["transport", "attempt \(number)", "begins"]
        case .attemptEnded(let number, let steps):
            let total = steps.last?.nanoseconds ?? 0
            let parts = steps.dropLast().filter { $0.nanoseconds > 0 }
                .map { "\($0.name) \(Explanation.milliseconds($0.nanoseconds))" }
            return [
                "transport", "attempt \(number)", "ended", Explanation.milliseconds(total),
                parts.joined(separator: ", "),
            ]
        case .fact(let name, let details, let status):
            let words = details.sorted { $0.key < $1.key }.map { "\($0.key) \(Explanation.text($0.key, $0.value))" }
            return ["·", name, status.map { "status \($0)" } ?? "", "", Printable.text(words.joined(separator: ", "))]
        case .completed(let outcome, let attempts):
            return ["sub-request \(step.exchange)", "completed", outcome, "", "attempts: \(attempts)"]
        }
    }

    private static func text(_ name: String, _ detail: ObservedEvent.Detail) -> String {
        switch detail {
        case .text(let text): text
        case .integer(let number): name == "after" ? milliseconds(number) : "\(number)"
        }
    }

    /// Milliseconds with two decimals.
    private static func milliseconds(_ nanoseconds: Int64) -> String {
        let hundredths = nanoseconds / 10_000
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)ms"
    }
}

extension EnabledPlugin.Linkage {
    /// `linked`, or the file's path.
    package var text: String {
        switch self {
        case .linked: "linked"
        case .loaded(let path): path
        }
    }
}
