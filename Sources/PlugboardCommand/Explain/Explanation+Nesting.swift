import Plugboard

extension Explanation {
    /// The steps with their depths, by time: what a plugin sent itself is one deeper than what it was sent for.
    var nestedSteps: [(step: Step, depth: Int)] {
        var depths = [0: 0]
        return steps.map { step in
            if case .asked(let request) = step.kind { depths[step.exchange] = (depths[request.asker] ?? 0) + 1 }
            return (step, depths[step.exchange] ?? 0)
        }
    }
}
