import Foundation
import Plugboard
import PlugboardAuthenticationOptions
import TestSupport
import Testing

/// The sources of secrets, and the effect of a 401 on them.
struct SecretSourceTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("source") }

    @Test(arguments: Linkage.allCases)
    func `a rejected token is read again from its file`(linkage: Linkage) async throws {
        let path = try folder.write("token", "old\n")
        let kernel = try Setup.kernel(
            linkage, accepting("Bearer new"), origins: ["http://a.test": ["scheme": "bearer", "tokenFile": path]])
        let first = try await kernel.send(Request(.get, "http://a.test/"))
        try folder.write("token", "new\n")

        let second = try await kernel.send(Request(.get, "http://a.test/"))

        #expect(first.status == 401 && second.status == 200)
        #expect(second.attempts == 2)
    }

    @Test(arguments: Linkage.allCases)
    func `a request's own source of a token counts before every source of its origin`(linkage: Linkage) async throws {
        let transport = MockTransport()
        let kernel = try Setup.kernel(
            linkage, transport, origins: ["http://a.test": ["scheme": "bearer", "token": "configured"]])
        var request = Request(.get, "http://a.test/")
        request.authentication.tokenFile = try folder.write("token", "own")

        _ = try await kernel.send(request)
        _ = try await kernel.send(Request(.get, "http://a.test/"))

        #expect(transport.credentials(to: "a.test") == ["Bearer own", "Bearer configured"])
    }

    @Test(arguments: Linkage.allCases)
    func `a rejected password is read again from its file`(linkage: Linkage) async throws {
        let path = try folder.write("password", "old")
        let kernel = try Setup.kernel(
            linkage, accepting("Basic dTpuZXc=", asking: "Basic realm=x"),
            origins: ["http://a.test": ["scheme": "basic", "user": "u", "passwordFile": path]])
        let first = try await kernel.send(Request(.get, "http://a.test/"))
        try folder.write("password", "new")

        let second = try await kernel.send(Request(.get, "http://a.test/"))

        #expect(first.status == 401 && second.status == 200)
    }

    @Test(arguments: Linkage.allCases)
    func `a command is run again when its token is rejected`(linkage: Linkage) async throws {
        let count = folder.file("count")
        let script = "echo x >> '\(count)'; echo t$(wc -l < '\(count)' | tr -d ' ')"
        let command = [String].optionForm.text(of: ["sh", "-c", script])
        let transport = accepting("Bearer t2")
        let kernel = try Setup.kernel(
            linkage, transport, origins: ["http://a.test": ["scheme": "bearer", "tokenCommand": command]])

        let responses = [
            try await kernel.send(Request(.get, "http://a.test/")),
            try await kernel.send(Request(.get, "http://a.test/")),
        ]

        #expect(responses.map(\.status) == [200, 200])
        #expect(transport.credentials(to: "a.test") == ["Bearer t1", "Bearer t2", "Bearer t2"])
    }

    @Test(arguments: Linkage.allCases)
    func `a token is read from the environment`(linkage: Linkage) async throws {
        let name = "PLUGBOARD_TEST_TOKEN"
        setenv(name, "from-environment", 1)
        let transport = MockTransport()
        let kernel = try Setup.kernel(
            linkage, transport, origins: ["http://a.test": ["scheme": "bearer", "tokenEnvironment": name]])

        _ = try await kernel.send(Request(.get, "http://a.test/"))

        #expect(transport.credentials(to: "a.test") == ["Bearer from-environment"])
    }

    @Test(
        arguments: Linkage.allCases,
        [
            ["tokenFile": "/nonexistent/token"], ["tokenEnvironment": "PLUGBOARD_TEST_UNSET"],
            ["tokenCommand": #"["false"]"#], ["tokenCommand": #"["printf", "two words"]"#],
        ])
    func `a secret that cannot be read fails the exchange before anything is sent`(
        linkage: Linkage, source: [String: String]
    ) async throws {
        let transport = MockTransport()
        let section = source.merging(["scheme": "bearer"]) { $1 }
        let kernel = try Setup.kernel(linkage, transport, origins: ["http://a.test": section])

        let error = try await Setup.failure(of: kernel, Request(.get, "http://a.test/"))

        #expect(error.code == .authenticationRefresh && error.plugin == "authentication")
        #expect(transport.requests.isEmpty)
    }

    @Test(arguments: Linkage.allCases)
    func `shutting down kills a running command`(linkage: Linkage) async throws {
        let pipe = folder.file("started")
        #expect(mkfifo(pipe, 0o600) == 0)
        let started = Gate()
        let script = "echo started > '\(pipe)'; exec sleep 600"
        let command = [String].optionForm.text(of: ["sh", "-c", script])
        let kernel = try Setup.kernel(
            linkage, MockTransport(), origins: ["http://a.test": ["scheme": "bearer", "tokenCommand": command]],
            settings: ["timeout": "10m"])
        let handle = kernel.begin(Request(.get, "http://a.test/"))
        DispatchQueue.global().async {
            // Opening the FIFO waits for the other end.
            let descriptor = open(pipe, O_RDONLY | O_CLOEXEC)
            var byte: UInt8 = 0
            if read(descriptor, &byte, 1) == 1 { started.admit() }
            close(descriptor)
        }
        try await started.opened()

        await kernel.shutDown(within: .zero)

        let error = await #expect(throws: PlugboardError.self) { _ = try await handle.response }
        #expect(error?.code == .shutDown)
    }

    @Test(arguments: Linkage.allCases)
    func `a replaced refresh token is stored in its file`(linkage: Linkage) async throws {
        let path = try folder.write("refresh", "r0\n")
        let site = try rotating()
        defer { site.stop() }
        let kernels = try (0..<2).map { _ in
            try Setup.kernel(linkage, origins: section(of: site, ["refreshTokenFile": path]))
        }

        for kernel in kernels { _ = try await kernel.send(Request(.get, site.api.url())) }

        #expect(try folder.read("refresh") == Array("r2\n".utf8))
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(refreshTokens(site) == ["r0", "r1"])
    }

    /// The content of the token's file, after a server handed out the refresh token r1 for a request by these options.
    private func refreshed(
        _ linkage: Linkage, connectTo: [String: String]? = nil, _ change: (inout RequestOptions) -> Void
    ) async throws -> String {
        let path = try folder.write("refresh", "r0\n")
        let transport = MockTransport { request, _ in
            request.url.hasPrefix("https://id.test/")
                ? .respond(200, Fields(), [Setup.token("t1", refreshToken: "r1")]) : .respond(200)
        }
        let section = [
            "scheme": "oauth", "tokenURL": "https://id.test/token", "clientID": "c", "refreshTokenFile": path,
        ]
        let kernel = try Setup.kernel(linkage, transport, origins: ["https://a.test": section], connectTo: connectTo)
        var request = Request(.get, "https://a.test/")
        change(&request.options)

        _ = try await kernel.send(request)

        #expect(transport.credentials(to: "a.test") == ["Bearer t1"])
        await kernel.shutDown()
        return String(decoding: try folder.read("refresh"), as: UTF8.self)
    }

    /// Options by which another server than the endpoint could answer.
    private static let untrusted: [@Sendable (inout RequestOptions) -> Void] = [
        { $0.tls.verify = false }, { $0.connectTo = ["id.test:443": "127.0.0.1:1"] },
        { $0.unixSocket = "/run/id.sock" },
    ]

    @Test(arguments: Linkage.allCases, untrusted.indices)
    func `a refresh token of a server that was not verified or is not the endpoint stays out of the file`(
        linkage: Linkage, number: Int
    ) async throws {
        #expect(try await refreshed(linkage, Self.untrusted[number]) == "r0\n")
    }

    @Test(arguments: Linkage.allCases)
    func `a refresh token by the configuration's own detour is stored`(linkage: Linkage) async throws {
        #expect(try await refreshed(linkage, connectTo: ["id.test:443": "127.0.0.1:1"]) { _ in } == "r1\n")
    }

    @Test(arguments: Linkage.allCases)
    func `a replaced refresh token without a file is kept in memory until the attribute changes`(linkage: Linkage)
        async throws
    {
        let site = try rotating()
        defer { site.stop() }
        let kernel = try Setup.kernel(linkage, origins: section(of: site, ["refreshToken": "r0"]))

        _ = try await kernel.send(Request(.get, site.api.url()))
        try await kernel.authentication.refresh()
        var other = Request(.get, site.api.url())
        other[AuthenticationAttributes.keys.refreshToken] = "own"
        _ = try await kernel.send(other)

        #expect(refreshTokens(site) == ["r0", "r1", "own"])
    }

    @Test(arguments: Linkage.allCases)
    func `a refresh token file changed by another program takes precedence over memory`(linkage: Linkage) async throws {
        let path = try folder.write("refresh", "r0\n")
        let site = try rotating()
        defer { site.stop() }
        let kernel = try Setup.kernel(linkage, origins: section(of: site, ["refreshTokenFile": path]))

        _ = try await kernel.send(Request(.get, site.api.url()))
        try folder.write("refresh", "logged-in-again\n")
        try await kernel.authentication.refresh()

        #expect(refreshTokens(site) == ["r0", "logged-in-again"])
    }

    /// Each token comes with another refresh token: r1, r2 and so on.
    private func rotating() throws -> Site {
        try Site(response: { ServerResponse(body: Setup.token("t1", refreshToken: "r\($0)")) })
    }

    private func section(of site: Site, _ own: [String: String]) -> [String: [String: String]] {
        let endpoint = ["scheme": "oauth", "tokenURL": site.endpoint.url("/token"), "clientID": "c"]
        return [String(site.api.url().dropLast()): endpoint.merging(own) { $1 }]
    }

    /// The refresh tokens that the endpoint received, in order.
    private func refreshTokens(_ site: Site) -> [String] {
        site.endpoint.requests.flatMap { $0.text.split(separator: "&") }
            .filter { $0.hasPrefix("refresh_token=") }.map { String($0.dropFirst("refresh_token=".count)) }
    }

    private func accepting(_ credential: String, asking challenge: String = "Bearer") -> MockTransport {
        MockTransport { request, _ in
            request.fields[.authorization] == credential
                ? .respond(200) : .respond(401, ["WWW-Authenticate": challenge])
        }
    }
}
