import PlugboardEndpoints

/// Independent requests, sent together: all files are there, or the first failure says which request it was.
func loadTogether(_ client: Client, into folder: String) async throws {
    let files = try await client.batch(["a.png", "b.png", "c.png"].map { Image(name: $0, folder: folder) })
    print("batch: \(files.map(\.byteCount)) bytes")
    do throws(PlugboardError) {
        _ = try await client.batch(["a.png", "missing.png"].map { Image(name: $0, folder: folder) })
    } catch {
        print("batch failed: \(error.code), status \(error.response?.status ?? 0)")
    }
}

/// Each request is made from the responses before. A new user is welcomed; for others the chain breaks.
func registerAndWelcome(_ client: Client) async throws {
    for nick in ["new", "old"] {
        let chain = Chain(client)
            .step { _ in Register(nick: nick, password: "secret") }
            .step { chain in UserInfo(userId: try chain.userId) }
            .step { chain in
                if try chain.value(of: UserInfo.self).level > 1 { chain.stop() }
                return try Welcome(userId: chain.userId)
            }
        let results = try await chain.results
        print("chain of \(nick): \(results.steps.map(\.name))")
    }
}

extension ChainRun {
    /// What the first step has brought.
    fileprivate var userId: Int { get throws(PlugboardError) { try value(of: Register.self).userId } }
}
