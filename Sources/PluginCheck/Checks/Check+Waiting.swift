/// What may come in between while an exchange waits.
extension Check {
    static let waits = Check("waits", "each exchange that waits is cancelled there") { subject in
        let bench = try Bench(subject)
        for plan in Traffic.usual {
            let disturbance = Disturbance(.cancel)
            Wiretap.state.withLock { $0.whenWaiting = { disturbance.strikeNow() } }
            Diary.now("\(plan.description), cancelled where it waits")
            _ = try await bench.run(plan, disturbance)
        }
        await bench.linger()
        try await bench.close()
        await bench.linger()
        return try seen(Wiretap.state.withLock { $0.waitCount }, "waits")
    }

    static let wakes = Check("wakes", "wakes come too late, and second") { subject in
        for (way, name) in [(Wiretap.Waits.pastDeadline, "too late"), (.wokenTwice, "second")] {
            Wiretap.state.withLock { $0.waits = way }
            let bench = try Bench(subject)
            for plan in Traffic.usual {
                Diary.now("\(plan.description), where its wakes come \(name)")
                _ = try await bench.run(plan)
            }
            await bench.linger()
            try await bench.close()
            await bench.linger()
        }
        return try seen(Wiretap.state.withLock { $0.waitCount }, "waits")
    }

    private static func seen(_ count: Int, _ what: String) throws(CheckEnd) -> String {
        guard count > 0 else { throw CheckEnd.skipped("none of its hooks waited in \(Traffic.usual.count) exchanges") }
        return "\(count) \(what)"
    }
}
