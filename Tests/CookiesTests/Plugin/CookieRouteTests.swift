import Plugboard
import PlugboardCookiesOptions
import PlugboardJSON
import TestSupport
import Testing

/// Cookies of servers whose certificate was not verified, or that another route than the URL's host leads to.
struct CookieRouteTests {
    private func request(isVerified: Bool) -> Request {
        var request = Request(.get, "https://a.test/")
        if !isVerified { request.options.tls.verify = false }
        return request
    }

    @Test(arguments: Linkage.allCases)
    func `cookies of unverified servers are sent to no verified one and not stored, and stored cookies not to them`(
        linkage: Linkage
    ) async throws {
        let folder = try TemporaryFolder()
        let path: JSONObject = ["path": .string(folder.file("cookies.sqlite"))]
        let transport = Setup.setting("__Host-id=evil; Max-Age=600; Path=/; Secure")
        let kernel = try Setup.kernel(linkage, transport, settings: path)
        try await kernel.cookies.set("own=1; Max-Age=600; Secure", for: "https://a.test/")

        _ = try await kernel.send(request(isVerified: false))
        let again = try await Setup.sent(kernel, transport, request(isVerified: false))
        let stored = try await kernel.cookies.all().map(\.name)
        let quiet = try await Setup.sent(kernel, transport, request(isVerified: true))
        await kernel.shutDown()

        #expect(again == "__Host-id=evil")
        #expect(stored == ["own"] && quiet == "own=1")
        let next = MockTransport()
        let second = try Setup.kernel(linkage, next, settings: path)
        #expect(try await Setup.sent(second, next, request(isVerified: false)) == nil)
        await second.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `all routes have one jar where the settings say so`(linkage: Linkage) async throws {
        let transport = Setup.setting("new=1; Max-Age=600")
        let kernel = try Setup.kernel(linkage, transport, settings: ["persistence": "memory", "acrossRoutes": true])
        try await kernel.cookies.set("own=1; Max-Age=600; Secure", for: "https://a.test/")

        let sent = try await Setup.sent(kernel, transport, request(isVerified: false))
        let stored = try await kernel.cookies.all().map(\.name).sorted()

        #expect(sent == "own=1" && stored == ["new", "own"])
        await kernel.shutDown()
    }

    /// Requests for one URL by routes that lead to three servers.
    private static let detours: [Request] = [("/a.sock", nil), ("/b.sock", nil), (nil, ["a.test:443": "127.0.0.1:1"])]
        .map { socket, connectTo in
            var request = Request(.get, "https://a.test/")
            (request.options.unixSocket, request.options.connectTo) = (socket, connectTo)
            return request
        }

    @Test(arguments: Linkage.allCases)
    func `a Unix socket and a target of connectTo have jars of their own, which the file keeps`(
        linkage: Linkage
    ) async throws {
        let folder = try TemporaryFolder()
        let path: JSONObject = ["path": .string(folder.file("cookies.sqlite"))]
        let transport = Setup.setting("id=a; Max-Age=600")
        let kernel = try Setup.kernel(linkage, transport, settings: path)

        _ = try await kernel.send(Self.detours[0])
        let again = try await Setup.sent(kernel, transport, Self.detours[0])
        let others = [
            try await Setup.sent(kernel, transport, request(isVerified: true)),
            try await Setup.sent(kernel, transport, Self.detours[1]),
            try await Setup.sent(kernel, transport, Self.detours[2]),
        ]
        await kernel.shutDown()

        #expect(again == "id=a" && others == [nil, nil, nil])
        let next = MockTransport()
        let second = try Setup.kernel(linkage, next, settings: path)
        #expect(try await Setup.sent(second, next, Self.detours[0]) == "id=a")
        await second.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `an entry of connectTo for another host changes nothing`(linkage: Linkage) async throws {
        let transport = Setup.setting("id=a; Max-Age=600")
        let kernel = try Setup.kernel(linkage, transport)
        var request = request(isVerified: true)
        request.options.connectTo = ["b.test:443": "127.0.0.1:1"]

        _ = try await kernel.send(request)

        #expect(try await Setup.sent(kernel, transport, self.request(isVerified: true)) == "id=a")
        await kernel.shutDown()
    }

    @Test func `what commands set for a URL is sent where the kernel's own options lead elsewhere`() async throws {
        let transport = MockTransport()
        var settings = KernelSettings()
        settings.defaults.unixSocket = "/run/a.sock"
        let kernel = try Kernel(
            configuration: Configuration(kernel: settings, plugins: [.cookies { $0.persistence = .memory }]),
            transport: transport)

        try await kernel.cookies.set("id=own", for: "https://a.test/")

        #expect(try await kernel.cookies.get("https://a.test/") == "id=own")
        #expect(try await Setup.sent(kernel, transport, request(isVerified: true)) == "id=own")
        await kernel.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `a detour to a server that is not verified has cookies of its own, too`(linkage: Linkage) async throws {
        let transport = Setup.setting("id=a; Max-Age=600")
        let kernel = try Setup.kernel(linkage, transport)
        var unverified = Self.detours[0]
        unverified.options.tls.verify = false

        _ = try await kernel.send(unverified)

        #expect(try await Setup.sent(kernel, transport, unverified) == "id=a")
        #expect(try await Setup.sent(kernel, transport, Self.detours[0]) == nil)
        #expect(try await Setup.sent(kernel, transport, request(isVerified: false)) == nil)
        await kernel.shutDown()
    }
}
