import Plugboard
import PlugboardAuthentication
import PlugboardAuthenticationOptions
import PlugboardKit
import TestSupport
import Testing

/// No log line, event or error contains a secret.
struct SecrecyTests {
    @Test func `no log line, event or reply contains a secret`() async throws {
        let folder = try TemporaryFolder("secrecy")
        let file = try folder.write("token", "hidden-of-file\n")
        let lines = Record()
        let transport = MockTransport { request, number in
            if request.url.contains("login.test") {
                return number > 6
                    ? .respond(400, Fields(), [#"{"error": "invalid_grant", "error_description": "hidden-words"}"#])
                    : .respond(200, Fields(), [Setup.token("hidden-token-\(number)", refreshToken: "hidden-\(number)")])
            }
            return .respond(401, ["WWW-Authenticate": "Bearer", "X-Echo": "plain"])
        }
        var configuration = Configuration(plugins: [
            .init("logging", settings: ["format": "full", "level": "debug"]), "authentication",
        ])
        configuration.origins = [
            "http://a.test": [
                "authentication.scheme": "oauth", "authentication.tokenURL": "http://login.test/token?key=hidden-key",
                "authentication.clientID": "c", "authentication.clientSecret": "hidden-client",
                "authentication.refreshToken": "hidden-refresh",
            ],
            "http://b.test": [
                "authentication.scheme": "basic", "authentication.user": "hidden-user",
                "authentication.password": "hidden-password",
            ],
            "http://c.test": [
                "authentication.scheme": "bearer", "authentication.tokenFile": file,
            ],
            "http://d.test": [
                "authentication.scheme": "bearer",
                "authentication.tokenCommand": #"["sh", "-c", "echo hidden-out; echo hidden-err >&2; exit 1"]"#,
            ],
        ]
        let kernel = try Kernel(
            configuration: configuration, transport: transport,
            log: KernelLog(level: .debug) { level, source, text in lines.add("\(level) \(source) \(text)") })

        for host in ["a", "b", "c", "d", "a", "b", "c", "d"] {
            let handle = kernel.begin(Request(.get, "http://\(host).test/")) { event in
                let details = ["reason", "scheme", "source", "lifetime", "why", "code"].compactMap { event[$0] }
                lines.add("\(event.id) \(details)")
            }
            do { lines.add("\(try await handle.response.status)") } catch { lines.add("\(error)") }
        }
        lines.add("\(try await kernel.command("authentication", "status"))")
        do { try await kernel.authentication.refresh() } catch { lines.add("\(error)") }
        lines.add("\(kernel.counters)")
        await kernel.shutDown()

        let base64 = ["aGlkZGVu", "hidden"]
        #expect(!lines.lines.contains { line in base64.contains { line.contains($0) } })
        // The expected events were published.
        #expect(lines.lines.contains { $0.contains("authentication.refreshed [") })
        #expect(lines.lines.contains { $0.contains("authentication.refreshFailed [") })
        #expect(lines.lines.contains { $0.contains("invalid_grant") })
        #expect(lines.lines.contains { $0.contains("Authorization: <redacted>") || $0.contains("→ 401") })
        #expect(transport.credentials(to: "b.test").first?.hasPrefix("Basic aGlkZGVu") == true)
    }

    @Test func `every attribute is secret, so that it does not go to another origin`() throws {
        let plugin = try PluginDescriptor(checking: authenticationPlugin())

        #expect(!plugin.attributes.isEmpty && plugin.attributes.allSatisfy(\.isSecret))
    }
}
