import Plugboard
import PlugboardEndpoints

/// A session of another kind is a kernel of its own: this one stores nothing in files.
func useEphemeralSession(_ server: String) async throws {
    let kernel = try Kernel(configuration: Configuration(plugins: ["cookies", "cache"]).session(.ephemeral))
    let client = Client(kernel: kernel, settings: ClientSettings(base: "\(server)/api"))
    let (url, cookies) = ("\(server)/api/session", kernel.cookies)
    try await client.send(SimpleEndpoint("session", as: Void.self))
    print("cookies of the server: \(try await cookies.get(url) ?? "none")")
    try await cookies.set("theme=dark; Path=/", for: url)
    print("with mine: \(try await cookies.get(url) ?? "none")")
    let removed = try await cookies.delete(name: "session")
    print("removed: \(removed), left: \(try await cookies.all().map(\.name))")
    await kernel.shutDown()
}

/// One for transfers that take long: no limit of the whole time, and larger buffers.
func useSessionOfLongTransfers(_ server: String) async throws {
    let kernel = try Kernel(configuration: Configuration(plugins: ["redirect"]).session(.longTransfers))
    try await upload(Client(kernel: kernel, settings: ClientSettings(base: "\(server)/api")))
    await kernel.shutDown()
}

/// What is stored of a request is seen before it is sent, and removed.
func lookIntoCache(_ client: Client) async throws {
    let request = try await client.request(for: News(page: 1))
    print("stored: \(try await client.kernel.cache.cachedResponse(for: request) != nil)")
    try await client.kernel.cache.purge(.all)
    print("stored: \(try await client.kernel.cache.cachedResponse(for: request) != nil)")
}
