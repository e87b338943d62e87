/// Cancelling and suspending exchanges.
extension Check {
    static let cancellation = Check("cancellation", "exchanges are cancelled at each of their points") { subject in
        try await disturb(subject, .cancel)
    }

    static let suspension = Check("suspension", "exchanges are suspended and resumed at each of their points") {
        subject in
        try await disturb(subject, .suspend)
    }

    /// How long to wait for a point of an exchange that gets no response.
    private static let patience = Duration.milliseconds(500)

    /// Runs each exchange once to learn its points, and then once for each point with the disturbance there.
    private static func disturb(_ subject: Subject, _ kind: Disturbance.Kind) async throws(CheckEnd) -> String {
        let bench = try Bench(subject)
        var count = 0
        if kind == .cancel {
            // An attempt without a response, at each point until it waits.
            let silent = Traffic.plan("GET without a response", [.silence])
            for (index, point) in ["created", "started", "attemptBegan", "resolved", "connected"].enumerated() {
                let disturbance = Disturbance(kind, at: index, named: point)
                // There is no attempt while the plugin waits for a sub-response.
                let striking = Task.detached {
                    try await Task.sleep(for: patience)
                    disturbance.strikeNow()
                }
                defer { striking.cancel() }
                _ = try await bench.conclude(silent, disturbance)
                count += 1
            }
        }
        for plan in subject.usual {
            let watching = Disturbance(.watch)
            _ = try await bench.conclude(plan, watching)
            // An exchange that is resent many times repeats its points.
            for (index, point) in watching.points.prefix(40).enumerated() {
                _ = try await bench.conclude(plan, Disturbance(kind, at: index, named: point))
                count += 1
            }
        }
        await bench.linger()
        try await bench.close()
        await bench.linger()
        return "\(count) exchanges"
    }
}
