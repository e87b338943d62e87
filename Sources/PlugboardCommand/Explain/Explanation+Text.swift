import Plugboard

extension Explanation {
    /// A table for people.
    var text: String {
        var text = "\(printable("\(method) \(url)"))\n"
        for attribute in attributes {
            let value = attribute.value.map { printable($0) } ?? "(secret)"
            text += "  \(attribute.name) = \(value)\(attribute.isOfOrigin ? "  (of the origin)" : "")\n"
        }
        let head = ["AT", "WHO", "WHAT", "DECIDED", "TOOK", "CHANGED, OR MORE"]
        text += "\n" + Table(rows: [head] + steps.map(row)).text + "\n"
        return text + "\(summary)\n"
    }

    private var summary: String {
        let time = Explanation.milliseconds(took)
        if wasNotSent { return "Stopped before the first attempt; nothing was sent." }
        if let failure { return "Failed after \(time): \(failure.code)" }
        let attempts = steps.reduce(0) { count, step in if case .attemptBegan = step { count + 1 } else { count } }
        return "Status \(status ?? 0), a body of \(bodyLength) bytes, attempts: \(attempts), \(time)"
    }

    private func row(_ step: Step) -> [String] {
        switch step {
        case .call(let call, let at):
            let hook = call.visit == .first ? call.hook : "\(call.hook) (\(call.visit))"
            let edits = call.edits.map { printable($0) }.joined(separator: ", ")
            return [
                Explanation.milliseconds(at), call.plugin, hook, call.verdict,
                Explanation.milliseconds(call.took.nanoseconds), edits,
            ]
        case .attemptBegan(let number, let at):
            return [Explanation.milliseconds(at), "transport", "attempt \(number)", "begins"]
        case .attemptEnded(let number, let at, let steps):
            let total = steps.last?.nanoseconds ?? 0
            let parts = steps.dropLast().filter { $0.nanoseconds > 0 }
                .map { "\($0.name) \(Explanation.milliseconds($0.nanoseconds))" }
            return [
                Explanation.milliseconds(at), "transport", "attempt \(number)", "ended",
                Explanation.milliseconds(total), parts.joined(separator: ", "),
            ]
        case .fact(let name, let at, let details, let status):
            let words = details.sorted { $0.key < $1.key }.map { "\($0.key) \(Explanation.text($0.key, $0.value))" }
            return [
                Explanation.milliseconds(at), "·", name, status.map { "status \($0)" } ?? "", "",
                printable(words.joined(separator: ", ")),
            ]
        }
    }

    private static func text(_ name: String, _ detail: EventDetail) -> String {
        switch detail {
        case .text(let text): text
        case .integer(let number): name == "after" ? milliseconds(number) : "\(number)"
        }
    }

    /// With two decimals.
    private static func milliseconds(_ nanoseconds: Int64) -> String {
        let hundredths = nanoseconds / 10_000
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)ms"
    }
}
