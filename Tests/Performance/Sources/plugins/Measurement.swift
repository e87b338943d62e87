import Plugboard
import measuring

/// What one exchange costs on average.
struct Measurement {
    /// Microseconds.
    var elapsed: Double
    var cpu: Double
    /// Of the thread that the measurement runs on, if it runs on one.
    var thread = Double.infinity

    /// The best of some rounds: other things that the machine does only add to it.
    static func best(
        of rounds: Int = 3, _ count: Int, _ body: (Int) async throws -> Void
    ) async throws -> Measurement {
        var best = Measurement(elapsed: .infinity, cpu: .infinity)
        var next = 0
        for _ in 0..<rounds {
            let clock = ContinuousClock()
            let (start, cpu, thread) = (clock.now, cpuTime(), cpuTime(ofThread: true))
            for _ in 0..<count {
                try await body(next)
                next += 1
            }
            let elapsed = seconds(clock.now - start) * 1e6 / Double(count)
            best.elapsed = min(best.elapsed, elapsed)
            best.cpu = min(best.cpu, (cpuTime() - cpu) / Double(count))
            best.thread = min(best.thread, (cpuTime(ofThread: true) - thread) / Double(count))
        }
        return best
    }

    /// The cost beyond another measurement, of which both ran on the loop.
    func added(to other: Measurement, _ name: String) {
        func percent(_ own: Double, _ others: Double) -> String { "\(Int(((own / others - 1) * 100).rounded())) %" }
        print(
            "| \(name) | \(rounded(elapsed)) | \(rounded(cpu)) | + \(percent(elapsed, other.elapsed)) time, "
                + "\(percent(cpu, other.cpu)) CPU, \(percent(thread, other.thread)) CPU of the loop |")
    }

    func row(_ name: String, of other: Measurement? = nil) {
        let ratio = other.map { "\(rounded($0.elapsed / elapsed, 1)) × as fast, \(rounded(cpu / $0.cpu)) of its CPU" }
        print("| \(name) | \(rounded(elapsed)) | \(rounded(cpu)) | \(ratio ?? "") |")
    }
}

/// Sends a request, reads the whole response, and returns its length.
@discardableResult
func fetch(_ kernel: Kernel, _ url: String) async throws -> Int {
    let response = try await kernel.send(Request(.get, url))
    var count = 0
    for try await piece in response.body { count += piece.count }
    guard response.status == 200 else { throw PlugboardError("measuring", "The status is \(response.status).") }
    return count
}

func makeKernel(_ plugins: [PluginEntry], _ transport: (any Transport)? = nil, folder: String) throws -> Kernel {
    var configuration = Configuration(plugins: plugins)
    configuration.kernel.dataDirectory = folder
    return try Kernel(configuration: configuration, transport: transport)
}
