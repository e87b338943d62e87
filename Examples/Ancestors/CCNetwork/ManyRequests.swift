import PlugboardEndpoints

/// Requests of one type: the values of all, or the first failure, which cancels the rest unless the options say no.
func batch(_ client: Client) async throws {
    let days = [1, 2, 3].map { Flights(day: $0, model: "1") }
    print("batch: \(try await client.batch(days).map { $0.joined(separator: " ") })")

    let withFault = [Flights(day: 404, model: "1"), days[0]]
    let results = try await client.batchResults(withFault)
    print("one by one: \(results.map { (try? $0.get().count) ?? 0 })")

    await client.batchCall(withFault)
        .onSuccess { _ in print("never printed") }
        .onFailure { print("batch failed: \($0.code)") }
        .onFinished { print("batch has \($0)") }
        .ended()

    let slow = client.batchCall([Slow(number: 1), Slow(number: 2)])
        .onFailure { _ in print("never printed") }
        .onFinished { print("slow batch has \($0)") }
    slow.cancel()
    await slow.ended()
}

/// The next step depends on the responses so far; steps are added while the chain runs.
func chain(_ client: Client) async throws {
    let results = try await Chain(client)
        .step("flights") { _ in Flights(day: 1, model: "1") }
        .perform { chain in
            for (index, _) in try chain.value(of: Flights.self).enumerated() {
                chain.add("passenger \(index + 1)") { _ in Passenger(id: 1) }
            }
        }
        .onStep { chain, step in
            // Stops the chain from inside, so that the last step is not sent.
            if step.name == "passenger 1" { chain.stop() }
        }
        .results
    print("chain: \(results.steps.map(\.name)), stopped: \(results.isStopped)")

    let broken = Chain(client)
        .step("flights") { _ in Flights(day: 1, model: "1") }
        .step("none") { _ in Flights(day: 404, model: "1") }
        .step("never") { _ in Passenger(id: 1) }
    await broken.start().onFailure { print("chain failed: \($0.code)") }.ended()
    print("chain: failed at \(broken.failedStep?.name ?? "no step")")

    let cancelled = Chain(client).step("slow") { _ in Slow(number: 3) }
    let call = cancelled.start().onFinished { print("slow chain has \($0)") }
    cancelled.cancel()
    await call.ended()
}

struct Slow: Endpoint, Encodable {
    typealias Response = Void
    let number: Int
    var path: String { "slow/{number}" }
}
