/// What may end or stop an exchange from outside.
extension Check {
    static let cancellation = Check("cancellation", "exchanges are cancelled at each of their points") { subject in
        try await disturb(subject, .cancel)
    }

    static let suspension = Check("suspension", "exchanges are suspended and resumed at each of their points") {
        subject in
        try await disturb(subject, .suspend)
    }

    /// How long a point of an exchange that is not answered is waited for.
    private static let patience = Duration.milliseconds(500)

    /// Watches each exchange once to learn its points, and then strikes at each.
    private static func disturb(_ subject: Subject, _ kind: Disturbance.Kind) async throws(CheckEnd) -> String {
        let bench = try Bench(subject)
        var count = 0
        if kind == .cancel {
            // An attempt that is never answered, from its first event to where it waits.
            let silent = Traffic.plan("GET that is not answered", [.silence])
            for (index, point) in ["created", "started", "attemptBegan", "resolved", "connected"].enumerated() {
                let disturbance = Disturbance(kind, at: index, named: point)
                // It does not come to an attempt of its own where the plugin waits for the answer to a sub-request.
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
            // One that is sent on and on has the same points again and again.
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
