import PlugboardEndpoints

/// The second request turns off the general settings.
func sendWithAndWithout(_ client: Client) async throws {
    let user = try await client.send(SimpleEndpoint("user", ["id": 7], as: User.self))
    print("user: \(user.name)")

    var plain = SimpleEndpoint("user", ["id": 8], as: User.self)
    plain.usesGeneralFields = false
    plain.usesGeneralParameters = false
    plain.usesGeneralUserInfo = false
    print("user: \(try await client.send(plain).name)")
}

/// The hook makes errors of two responses, and the judge of one; the central handler receives all and stops one.
func refuse(_ client: Client) async {
    for path in ["refused", "limited", "session"] {
        await client.call(SimpleEndpoint(path, as: User.self))
            .onSuccess { _ in print("never printed") }
            .onFailure { print("\(path): \($0.reason)") }
            .onCompletion { _ in print("\(path) is complete") }
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

/// A request with its own server and header fields.
struct Weather: Endpoint {
    typealias Response = String
    let base: String
    let path = "said"
    let fields: Fields = ["X-Units": "metric"]
}

/// Sends to base, CDN, another server or a full URL; any method, a path with a placeholder, and adapters.
func sendAny(_ client: Client, _ server: String) async throws {
    print("weather: \(try await client.send(Weather(base: "\(server)/weather")))")
    var full = SimpleEndpoint("\(server)/full/said", as: String.self)
    print("full URL: \(try await client.send(full))")
    (full.path, full.usesPathPrefix) = ("said", false)
    print("without the prefix: \(try await client.send(full))")
    print("other method: \(try await client.send(SimpleEndpoint("REPORT", "said", as: String.self)))")
    for method: Method in [.head, .delete] {
        var any = SimpleEndpoint(method, "any/{id}", ["id": 7], as: ReceivedResponse.self)
        any.usesCDN = true
        any.category = "versioned"
        print("any: \(try await client.send(any)["X-Target"] ?? "none")")
    }
}

/// A request with its own time limit, credentials, tag, user info, and without cookies.
struct Account: Endpoint {
    typealias Response = String
    let timeouts = Timeouts(total: .seconds(30))
    let credentials = Credentials.basic(user: "ada", password: "secret")
    let usesCookies = false
    let tag = "account"
    let userInfo: [String: any Sendable] = ["screen": "account"]
    let path = "account"
}

func sendSecured(_ client: Client, _ server: String) async throws {
    try await client.kernel.cookies.set("theme=dark; Path=/", for: server)
    let call = client.call(Account())
    print("account: \(try await call.value), tag \(call.tag ?? "none")")
    print("cookies: \(try await client.send(SimpleEndpoint("account", as: String.self)))")
    var hasty = SimpleEndpoint("slow", as: String.self)
    hasty.timeouts = Timeouts(total: .milliseconds(20))
    do throws(PlugboardError) { _ = try await client.send(hasty) } catch { print("hasty: \(error.code)") }
}

/// Prints whether there is a network and of which kind, now and whenever it changes.
func reach(_ kernel: Kernel) async throws {
    let network = try kernel.reachability().current
    print("network: \(network.kind), \(network.isReachable ? "reachable" : "not reachable")")
    // The first element is the present state.
    for await change in try kernel.reachability().changes() {
        print("network: \(change.isReachable ? "reachable" : "not reachable")")
        break
    }
}
