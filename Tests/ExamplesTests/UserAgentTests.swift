import Plugboard
import PluginLoader
import TestSupport
import Testing

/// The plugin in Swift, as its own package makes it; `Tests/run` builds that beforehand.
@Suite(.enabled(if: Repository.hasUserAgentPlugin, "Examples/UserAgent is not built"))
struct UserAgentTests {
    @Test func `a request without User-Agent gets one, and others keep theirs`() async throws {
        let transport = MockTransport()
        let kernel = try Kernel(
            configuration: Configuration(plugins: [
                PluginEntry(Repository.userAgentPlugin, settings: ["product": "feed-reader/2.1"])
            ]), loader: .dynamic, transport: transport, log: .silent)

        _ = try await kernel.send(Request(.get, "http://a.test/"))
        _ = try await kernel.send(Request(.get, "http://a.test/", fields: Fields(["User-Agent": "mine/1.0"])))

        #expect(transport.requests.map { $0.fields["user-agent"] } == ["feed-reader/2.1", "mine/1.0"])
    }

    @Test func `its file says what it is without being run, as release builds link it`() throws {
        let file = try DynamicLoader.dynamic.inspect(Repository.userAgentPlugin)

        #expect(file.metadata == .init(revision: 1, id: "com.example.user-agent", version: "1.0.0"))
    }
}
