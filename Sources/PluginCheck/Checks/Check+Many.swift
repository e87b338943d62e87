import PlugboardKit

/// Many exchanges: at once, and one after the other.
extension Check {
    private static let together = 64

    static let parallel = Check("parallel", "64 exchanges at once end as they end alone") { subject in
        let plans = (0..<together).map { number in
            Traffic.plan("exchange \(number) of \(together) at once", [.head(200, [:], .counting(1_000 + number))]) {
                $0.path = "/\(number)"
                if number % 3 == 0 {
                    $0.method = .put
                    $0.body = PlannedBody.counting(500 + number).inPieces(of: 100, .late)
                }
            }
        }
        let alone = try Bench(subject)
        var expected: [Conclusion] = []
        for plan in plans { expected.append(try await alone.conclude(plan)) }
        try await alone.close()

        let bench = try Bench(subject)
        Diary.now("\(together) exchanges at once")
        let conclusions = try await gathered(plans, bench)
        for (number, conclusion) in conclusions.enumerated() where conclusion != expected[number] {
            let (plan, alone) = (plans[number].description, expected[number])
            throw CheckEnd.failed("\(plan) ended with \(conclusion), but alone with \(alone)\(subject.clockRemark)")
        }
        try await bench.close()
        return ""
    }

    /// All requests are sent before the first response comes, and responses come in reverse order.
    private static func gathered(_ plans: [Plan], _ bench: Bench) async throws(CheckEnd) -> [Conclusion] {
        bench.transport.gather(plans.count)
        // Fewer may be sent, if the plugin responds itself.
        let dispersing = Task.detached {
            try? await Task.sleep(for: .seconds(2))
            bench.transport.disperse()
        }
        defer { dispersing.cancel() }
        // Added beforehand, so that each plan has the same URL as when it runs alone.
        return try await concluded(plans, plans.map { bench.transport.add($0) }, bench)
    }

    /// The conclusions of exchanges that run at once, in the order of the plans.
    private static func concluded(
        _ plans: [Plan], _ known: [Int], _ bench: Bench
    ) async throws(CheckEnd) -> [Conclusion] {
        let results = await withTaskGroup(of: (Int, Result<Conclusion, CheckEnd>).self) { group in
            for (number, plan) in plans.enumerated() {
                group.addTask {
                    // A variable, because the optimizer of Swift 6.3 loses a number that is returned from within `do
                    // throws`.
                    let result: Result<Conclusion, CheckEnd>
                    do throws(CheckEnd) {
                        result = .success(try await bench.run(plan, number: known[number]))
                    } catch {
                        result = .failure(error)
                    }
                    return (number, result)
                }
            }
            return await group.reduce(into: [Int: Result<Conclusion, CheckEnd>]()) { $0[$1.0] = $1.1 }
        }
        var conclusions: [Conclusion] = []
        for number in plans.indices {
            if let result = results[number] { conclusions.append(try result.get()) }
        }
        return conclusions
    }

    static let pace = Check("pace", "no hook blocks the loop") { subject in
        Wiretap.state.withLock { $0.isTiming = true }
        let bench = try Bench(subject)
        for round in 1...3 {
            for plan in subject.usual {
                Diary.now("\(plan.description), in round \(round)")
                _ = try await bench.run(plan)
            }
        }
        try await bench.close()
        let (calls, slowest) = Wiretap.state.withLock { ($0.slowCalls, $0.slowest) }
        // A single slow call may be caused by a cold cache.
        guard let (hook, count) = calls.filter({ $0.value >= 3 }).max(by: { $0.value < $1.value }) else { return "" }
        let time = slowest[hook] ?? .zero
        let limit = Wiretap.patience
        throw CheckEnd.warned(
            "\(hook) held the loop for more than \(milliseconds(limit)) ms in \(count) calls, at most for "
                + "\(milliseconds(time)) ms: slow work belongs on a thread of its own, and the hook returns wait")
    }

    private static func milliseconds(_ time: Duration) -> Int64 { time.nanoseconds / 1_000_000 }

    static let leaks = Check("leaks", "memory does not grow over up to 25,000 exchanges", limit: .seconds(300)) {
        subject in
        Wiretap.state.withLock { $0.completedPulls = nil }
        let bench = try Bench(subject)
        let known = recurring.map { bench.transport.add($0) }
        let began = ContinuousClock.now
        var (marks, stage, done) = ([Int](), 1_000, 0)
        var growth: [Int] { zip(marks, marks.dropFirst()).map { [stage] in ($1 - $0) / stage } }
        // Tables and the allocator's own lists fill during the first stages; a leak grows in the last ones too.
        while growth.count < 3 || growth.count < mostStages && growth.suffix(3).allSatisfy({ $0 >= leakThreshold }) {
            let end = done + stage
            while done < end {
                Diary.now("exchanges from \(done) on")
                // Several at once, because some plugins wait.
                _ = try await concluded(recurring, known, bench)
                done += recurring.count
            }
            guard let bytes = HeapUse.bytes else {
                throw CheckEnd.skipped("the C library does not report how much memory is in use")
            }
            if marks.isEmpty { stage = leakStage(after: began.duration(to: .now)) }
            marks.append(bytes)
        }
        try await bench.close()
        guard let least = growth.suffix(3).min(), least >= leakThreshold else {
            return stage == fullStage ? "" : "over only \(done) exchanges, because they take long"
        }
        throw CheckEnd.failed("the heap grows by at least \(least) bytes an exchange")
    }

    /// The number of stages after which memory that still grows is a leak.
    private static let mostStages = 8

    private static let fullStage = 3_000

    /// How many exchanges to measure in each stage, by the time that the first thousand took. A slow plugin, such as
    /// one that limits the rate of requests, gets fewer, so that three stages take about half a minute.
    static func leakStage(after time: Duration) -> Int {
        let each = max(time.nanoseconds / 1_000, 1)
        let fitting = 30_000_000_000 / each / 3
        // Fewer exchanges would give no clear result.
        return Int(min(max(fitting / 10 * 10, 500), Int64(fullStage)))
    }

    /// Bytes per exchange. An allocation takes at least 24 bytes, so a leak in every third exchange is found.
    private static let leakThreshold = 8

    /// Ten plans, each with one URL: a plugin that stores URLs has stored all of them before the measurement.
    private static let recurring: [Plan] = [
        Traffic.plan("GET", [.head(200, ["cache-control": "max-age=1", "set-cookie": "a=1"], .counting(3_000))]),
        Traffic.plan("POST", [.head(201)]) {
            $0.method = .post
            $0.body = .text
        },
        Traffic.plan("GET that is redirected", [.head(302, ["location": "?next"]), .head(200)]),
        Traffic.plan("GET that fails", [.failure(.transportTLSCertificate)]),
        Traffic.plan("HEAD", [.head(200, [:], nil)]) { $0.method = .head },
        Traffic.plan("GET that gets 404", [.head(404)]),
        Traffic.plan("PUT", [.head(200)]) {
            $0.method = .put
            $0.body = .counting(2_000)
        },
        Traffic.plan(
            "GET in gzip",
            [.head(200, ["content-encoding": "gzip"], PlannedBody(StoredGzip.file(of: PlannedBody.text.bytes)))]),
        Traffic.plan("GET whose body breaks", [.head(200, [:], Traffic.breaking(.text))]),
        Traffic.plan("GET whose reader leaves", [.head(200, [:], PlannedBody.counting(2_000).inPieces(of: 100))]) {
            $0.reads = 1
        },
    ]
}
