/// Random exchanges.
extension Check {
    private static let exchanges = 1_000

    static let fuzz = Check("fuzz", "a thousand random exchanges", limit: .seconds(300)) { subject in
        var draw = Draw(seed: subject.seed)
        let bench = try Bench(subject)
        let again = "; repeat it with --only fuzz --seed \(subject.seed)"
        for number in 1...exchanges {
            let drawn = Fuzz.draw("exchange \(number) of seed \(subject.seed)", sample: subject.sample, &draw)
            do throws(CheckEnd) {
                _ = try await bench.conclude(drawn.plan, drawn.disturbance)
            } catch {
                throw CheckEnd(status: error.status, reason: error.reason + again)
            }
        }
        await bench.linger()
        do throws(CheckEnd) {
            try await bench.close()
        } catch {
            throw CheckEnd(status: error.status, reason: error.reason + again)
        }
        return "\(exchanges) exchanges from seed \(subject.seed)"
    }
}
