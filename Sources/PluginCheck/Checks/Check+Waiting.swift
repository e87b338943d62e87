/// Wakes and deadlines of exchanges that wait.
extension Check {
    static let waits = Check("waits", "exchanges are cancelled while they wait") { subject in
        let bench = try Bench(subject)
        for plan in subject.usual {
            let disturbance = Disturbance(.cancel)
            Wiretap.state.withLock { $0.whenWaiting = { disturbance.strikeNow() } }
            Diary.now("\(plan.description), cancelled where it waits")
            _ = try await bench.run(plan, disturbance)
        }
        await bench.linger()
        try await bench.close()
        await bench.linger()
        return try seen(Wiretap.state.withLock { $0.waitCount }, in: subject)
    }

    static let wakes = Check("wakes", "wakes that come late, or twice") { subject in
        for (way, name) in [(Wiretap.Waits.pastDeadline, "too late"), (.wokenTwice, "second")] {
            Wiretap.state.withLock { $0.waits = way }
            let bench = try Bench(subject)
            for plan in subject.usual {
                Diary.now("\(plan.description), where its wakes come \(name)")
                _ = try await bench.run(plan)
            }
            await bench.linger()
            try await bench.close()
            await bench.linger()
        }
        return try seen(Wiretap.state.withLock { $0.waitCount }, in: subject)
    }

    /// Skips the check if the plugin never waited, which is allowed.
    private static func seen(_ waits: Int, in subject: Subject) throws(CheckEnd) -> String {
        guard waits > 0 else {
            throw CheckEnd.skipped("none of its hooks waited in \(subject.usual.count) exchanges")
        }
        return "\(waits) waits"
    }
}
