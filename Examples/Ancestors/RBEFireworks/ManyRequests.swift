import PlugboardEndpoints

/// Independent requests, sent together: all files are received, or the first failure names its request.
func loadTogether(_ client: Client, into folder: String) async throws {
    let images = ["a.png", "b.png", "c.png"].map { Image(name: $0, folder: folder) }
    let files = try await client.batch(images)
    print("batch: \(files.map(\.byteCount)) bytes")
    // A failure does not cancel the others here.
    let results = try await client.batchResults([Image(name: "missing.png", folder: folder)] + images)
    print("one by one: \(results.map { (try? $0.get().byteCount) ?? 0 })")
    // A failure cancels the others here.
    do throws(PlugboardError) {
        _ = try await client.batch(images + [Image(name: "missing.png", folder: folder)])
    } catch {
        print("batch failed: \(error.code), status \(error.response?.status ?? 0)")
    }

    let slow = client.batchCall((1...2).map { _ in SimpleEndpoint("slow", as: String.self) })
        .onFinished { print("slow batch has \($0)") }
    slow.cancel()
    await slow.ended()
}

/// Each request is made from the responses before. A new user is welcomed; for others the chain breaks.
func registerAndWelcome(_ client: Client) async throws {
    for nick in ["new", "old"] {
        let results = try await Chain(client)
            .step("account") { _ in Register(nick: nick, password: "secret") }
            .step("user") { chain in UserInfo(userId: try chain.userId) }
            .onStep { chain, _ in
                if let user = chain.results.value(of: UserInfo.self), user.level > 1 { chain.stop() }
            }
            .step("welcome") { chain in Welcome(userId: try chain.userId) }
            .results
        print("chain of \(nick): \(results.steps.map(\.name))")
    }
}

/// Adds steps while the chain runs. The first failure ends it, and the chain names the failed step.
func growChain(_ client: Client) async throws {
    let results = try await Chain(client)
        .step("news") { _ in News(page: 1) }
        .onStep { chain, step in
            if step.name == "news" { chain.add("more news") { _ in News(page: 2) } }
        }
        .results
    print("chain with more: \(results.steps.map(\.name))")

    let broken = Chain(client).step("user") { _ in UserInfo(userId: 404) }.step("never") { _ in News(page: 1) }
    await broken.start().ended()
    print("chain failed at: \(broken.failedStep?.name ?? "no step")")

    let slow = Chain(client).step("slow") { _ in SimpleEndpoint("slow", as: String.self) }
    let call = slow.start().onFinished { print("slow chain has \($0)") }
    slow.cancel()
    await call.ended()
}

extension ChainRun {
    /// The result of the first step.
    fileprivate var userId: Int {
        get throws(PlugboardError) { try value("account", as: Register.Response.self).userId }
    }
}
