import PlugboardCore

extension Explanation {
    /// The steps by time, with their depths: a sub-request is one deeper than the exchange it is for.
    package var nestedSteps: [(step: Step, depth: Int)] {
        var depths = [0: 0]
        return steps.map { step in
            if case .subRequest(let request) = step.kind { depths[step.exchange] = (depths[request.parent] ?? 0) + 1 }
            return (step, depths[step.exchange] ?? 0)
        }
    }
}
