import PlugboardEndpoints

/// Independent requests, sent together: all files are there, or the first failure says which request it was.
func loadTogether(_ client: Client, into folder: String) async throws {
    let images = ["a.png", "b.png", "c.png"].map { Image(name: $0, folder: folder) }
    let files = try await client.batch(images)
    print("batch: \(files.map(\.byteCount)) bytes")
    do throws(PlugboardError) {
        _ = try await client.batch(images + [Image(name: "missing.png", folder: folder)])
    } catch {
        print("batch failed: \(error.code), status \(error.response?.status ?? 0)")
    }
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

extension ChainRun {
    /// What the first step has brought.
    fileprivate var userId: Int {
        get throws(PlugboardError) { try value("account", as: Register.Response.self).userId }
    }
}
