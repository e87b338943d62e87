import PlugboardTesting
import PluginLoader
import TestSupport
import Testing

/// A service that one plugin provides and another needs: `tokens.c`, `bearer.c` and `bearer.cpp`.
struct CookbookServiceTests {
    /// A kernel with `bearer`, and with these plugins beside it.
    private func bench(_ others: [PluginEntry], _ language: CookbookLanguage = .c) async throws -> Workbench {
        try Workbench(
            file: try await CookbookLibraries.shared.library("bearer", language), loader: .dynamic
        ) { $0.plugins += others }
    }

    private func tokens(_ settings: JSONObject) async throws -> PluginEntry {
        let library = try await CookbookLibraries.shared.library("tokens", .c)
        // Further in than the plugin that needs it: services decide on the start, and not the place in the chain.
        return PluginEntry(library, priority: 600, settings: settings)
    }

    @Test(arguments: [CookbookLanguage.c, .cpp])
    func `the plugin that needs a service finds it in the plugin that provides it`(
        language: CookbookLanguage
    ) async throws {
        let bench = try await bench(
            [try await tokens(["tokens": ["a.test": "token-a", "b.test": "token-b", "c.test": "a\nb"]])], language)

        for host in ["a.test", "b.test:8443", "other.test"] {
            _ = try await bench.send(Request(.get, "https://\(host)/"))
        }
        let error = await error(of: bench, Request(.get, "https://c.test/"))

        #expect(bench.kernel.plugins.map(\.id) == ["com.example.bearer", "com.example.tokens"])
        #expect(bench.transport.requests.map { $0[.authorization] } == ["Bearer token-a", "Bearer token-b", nil])
        #expect(error?.code == "com.example.bearer.token")
        await bench.kernel.shutDown()
    }

    @Test func `without the plugin that provides it the kernel does not start, and says what is missing`() async {
        let error = await #expect(throws: PlugboardError.self) { try await bench([]) }

        #expect(error?.code == .pluginStart)
        #expect(error?.reason.contains("is com.example.bearer and needs com.example.tokens/1") == true)
        #expect(error?.reason.contains("Enable the plugin that provides it") == true, "\(error?.reason ?? "none")")
    }
}
