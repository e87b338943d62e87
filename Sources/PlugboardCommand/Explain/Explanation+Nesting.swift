import Plugboard

extension Explanation {
    /// The steps with their depths, in the order in which people read them: what a call asked for stands below it.
    ///
    /// A sub-request whose call was not told stands where it began, among the steps of the exchange that it is for.
    var nestedSteps: [(step: Step, depth: Int)] {
        let byExchange = Dictionary(grouping: steps, by: \.exchange)
        let told = Set(steps.compactMap(\.call?.number))
        var ofCalls: [Int: [Int]] = [:]
        var ofNobody: [Int: [Int]] = [:]
        for step in steps {
            guard case .asked(let request) = step.kind else { continue }
            if let call = request.call, told.contains(call) {
                ofCalls[call, default: []].append(step.exchange)
            } else {
                ofNobody[request.asker, default: []].append(step.exchange)
            }
        }

        var nested: [(step: Step, depth: Int)] = []
        func add(_ exchange: Int, _ depth: Int) {
            var waiting = (ofNobody[exchange] ?? [])[...]
            for step in byExchange[exchange] ?? [] {
                while let next = waiting.first, let begin = byExchange[next]?.first, begin.at < step.at {
                    waiting.removeFirst()
                    add(next, depth + 1)
                }
                nested.append((step, depth))
                for next in step.call.flatMap({ ofCalls[$0.number] }) ?? [] { add(next, depth + 1) }
            }
            for next in waiting { add(next, depth + 1) }
        }
        add(0, 0)
        return nested
    }
}

extension Explanation.Step {
    var call: HookCall? { if case .call(let call) = kind { call } else { nil } }
}
