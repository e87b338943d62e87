import PlugboardEndpoints

/// The second request turns off what is general.
func sendWithAndWithout(_ client: Client) async throws {
    let user = try await client.send(SimpleEndpoint("user", ["id": 7], as: User.self))
    print("user: \(user.name)")

    var plain = SimpleEndpoint("user", ["id": 8], as: User.self)
    plain.usesGeneralFields = false
    plain.usesGeneralParameters = false
    plain.usesGeneralUserInfo = false
    print("user: \(try await client.send(plain).name)")
}

/// The hook makes errors of two responses; the central handler sees both and lets only one pass.
func refuse(_ client: Client) async {
    for path in ["refused", "session"] {
        await client.call(SimpleEndpoint(path, as: User.self))
            .onSuccess { _ in print("never printed") }
            .onFailure { print("\(path): \($0.reason)") }
            .onFinished { print("\(path) has \($0)") }
            .ended()
    }
}

/// A call under way is cancelled by its identifier.
func cancel(_ client: Client) async {
    var search = SimpleEndpoint("slow", as: User.self)
    search.identifier = "search"
    let call = client.call(search).onFinished { print("search has \($0)") }
    print("cancelled: \(client.calls.cancel(.identifier("search")))")
    await call.ended()
}

/// Whether there is a network and of which kind; `changes()` tells when that changes.
func reach(_ kernel: Kernel) throws {
    let network = try kernel.reachability().current
    print("network: \(network.kind), \(network.isReachable ? "reachable" : "not reachable")")
}
