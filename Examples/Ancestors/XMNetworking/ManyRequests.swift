import PlugboardEndpoints

/// Prints all results in the order of the requests; a failure does not cancel the others.
func batch(_ client: Client) async throws {
    let requests = [1, 2, 404].map { SimpleEndpoint("user", ["id": $0], as: User.self) }
    let results = try await client.batchResults(requests)
    let names = results.map { result in
        switch result {
        case .success(let user): user.name
        case .failure(let error): "\(error.code)"
        }
    }
    print("batch: \(names)")

    // The first failure cancels the rest, and a batch can be cancelled as a whole.
    let failing = [("slow", 1), ("user", 404)].map { SimpleEndpoint($0, ["id": $1], as: User.self) }
    await client.batchCall(failing).onFinished { print("failing batch has \($0)") }.ended()
    let slow = client.batchCall([SimpleEndpoint("slow", as: User.self)]).onFinished { print("slow batch has \($0)") }
    slow.cancel()
    await slow.ended()
}

/// Each step is made from the responses before it.
func chain(_ client: Client) async throws {
    let first = try await Chain(client)
        .step("newest") { _ in SimpleEndpoint("newest", as: User.self) }
        .step("friend") { chain in
            let newest = try chain.value("newest", as: User.self)
            return SimpleEndpoint("user", ["id": newest.id + 1], as: User.self)
        }
        .onStep { chain, step in
            // Inserts the next step from inside, and then stops the chain.
            if step.name == "newest" { chain.insert("again") { _ in SimpleEndpoint("newest", as: User.self) } }
            if step.name == "friend" { chain.stop() }
        }
        .step("never") { _ in SimpleEndpoint("never", as: User.self) }
        .results
    print("chain: \(first.steps.map(\.name)), stopped: \(first.isStopped)")

    let broken = Chain(client)
        .step("newest") { _ in SimpleEndpoint("newest", as: User.self) }
        .step("broken") { _ in SimpleEndpoint("user", ["id": 404], as: User.self) }
        .step("never") { _ in SimpleEndpoint("never", as: User.self) }
    await broken.start().ended()
    print("chain: failed at \(broken.failedStep?.name ?? "no step")")

    let slow = Chain(client).step("slow") { _ in SimpleEndpoint("slow", as: User.self) }
    let call = slow.start().onFinished { print("slow chain has \($0)") }
    slow.cancel()
    await call.ended()
}
