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

/// Neither a success nor a failure: no callback is called.
func ignore(_ client: Client) async {
    let call = client.call(SimpleEndpoint("nothing", as: User.self)).onFinished { _ in print("never printed") }
    await call.ended()
    print("nothing: \(call.state)")
}

/// Base or CDN, any method, a path that is filled in, and adapters.
func sendAny(_ client: Client) async throws {
    for method: Method in [.head, .delete] {
        var any = SimpleEndpoint(method, "any/{id}", ["id": 7], as: ReceivedResponse.self)
        any.usesCDN = true
        any.category = "versioned"
        print("any: \(try await client.send(any)["X-Target"] ?? "none")")
    }
}

/// A time limit, credentials, no cookies and a tag, of one request.
struct Account: Endpoint {
    typealias Response = String
    let timeouts = Timeouts(total: .seconds(30))
    let credentials = Credentials.basic(user: "ada", password: "secret")
    let usesCookies = false
    let tag = "account"
    let path = "account"
}

func sendSecured(_ client: Client, _ server: String) async throws {
    try await client.kernel.cookies.set("theme=dark; Path=/", for: server)
    let call = client.call(Account())
    print("account: \(try await call.value), tag \(call.tag ?? "none")")
    print("cookies: \(try await client.send(SimpleEndpoint("account", as: String.self)))")
}

/// Whether there is a network and of which kind: now, and each time that it changes.
func reach(_ kernel: Kernel) async throws {
    let network = try kernel.reachability().current
    print("network: \(network.kind), \(network.isReachable ? "reachable" : "not reachable")")
    // The first is the network as it is.
    for await change in try kernel.reachability().changes() {
        print("network: \(change.isReachable ? "reachable" : "not reachable")")
        break
    }
}
