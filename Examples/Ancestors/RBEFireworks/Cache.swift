import Plugboard
import PlugboardEndpoints

/// Stores responses as the server specifies, also with a validator; by a time to live; and under a version.
func readStored(_ client: Client) async throws {
    for path in ["fresh", "fresh", "tagged", "tagged"] {
        print("\(path): \(try await client.send(SimpleEndpoint(path, as: String.self)))")
    }
    for version in ["1", "1", "2"] {
        var plain = SimpleEndpoint("plain", as: String.self)
        plain.cache = CacheUse(timeToLive: .seconds(60), version: version)
        print("version \(version): \(try await client.send(plain))")
    }
}

/// Looks up the stored response of a request, in memory and in a file, before sending it, and removes it.
func lookIntoCache(_ client: Client) async throws {
    let request = try await client.request(for: News(page: 1))
    print("stored: \(try await client.kernel.cache.cachedResponse(for: request) != nil)")
    try await client.kernel.cache.purge(.memory)
    print("in the file: \(try await client.kernel.cache.cachedResponse(for: request) != nil)")
    try await client.kernel.cache.purge(.all)
    print("stored: \(try await client.kernel.cache.cachedResponse(for: request) != nil)")
}

/// Memory keeps the responses that were used last, as its limits allow; the file has separate limits.
func limitCache(_ client: Client, in folder: String) async throws {
    let kernel = try Kernel(plugins: [
        .cache {
            ($0.entries, $0.memory) = (2, .mebibytes(1))
            ($0.path, $0.disk) = ("\(folder)/limited.sqlite", .mebibytes(8))
        }
    ])
    let limited = Client(kernel: kernel, settings: client.settings)
    for page in 1...3 { _ = try await limited.send(SimpleEndpoint("fresh", ["page": page], as: String.self)) }
    let statistics = try await kernel.cache.stats()
    print("in memory: \(statistics.memoryEntries) of \(statistics.entries)")
    await kernel.shutDown()
}
