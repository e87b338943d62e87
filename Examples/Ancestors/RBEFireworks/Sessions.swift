import Plugboard
import PlugboardEndpoints

/// A kernel for another kind of session: this one stores nothing in files.
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

/// The jar is a file, which the next session opens again.
func keepCookies(_ server: String, in folder: String) async throws {
    for session in ["first", "second"] {
        let kernel = try Kernel(plugins: [.cookies { $0.path = "\(folder)/cookies.sqlite" }])
        if session == "first" { try await kernel.cookies.set("user=ada; Max-Age=3600; Path=/", for: server) }
        print("cookies of the \(session) session: \(try await kernel.cookies.get(server) ?? "none")")
        await kernel.shutDown()
    }
}

/// A kernel for long transfers: no limit of the total time, and larger buffers.
func useSessionOfLongTransfers(_ server: String) async throws {
    let kernel = try Kernel(configuration: Configuration(plugins: ["redirect"]).session(.longTransfers))
    try await upload(Client(kernel: kernel, settings: ClientSettings(base: "\(server)/api")))
    await kernel.shutDown()
}
