import Plugboard
import PlugboardCookiesOptions
import PlugboardJSON
import TestSupport
import Testing

/// Cookies of servers whose certificate was not verified.
struct UnverifiedTests {
    private func request(isVerified: Bool) -> Request {
        var request = Request(.get, "https://a.test/")
        if !isVerified { request.options.tls.verify = false }
        return request
    }

    @Test(arguments: Linkage.allCases)
    func `are sent to no verified server and not stored, and stored cookies are not sent there`(
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
    func `are like the others where the settings say so`(linkage: Linkage) async throws {
        let transport = Setup.setting("new=1; Max-Age=600")
        let kernel = try Setup.kernel(linkage, transport, settings: ["persistence": "memory", "trustUnverified": true])
        try await kernel.cookies.set("own=1; Max-Age=600; Secure", for: "https://a.test/")

        let sent = try await Setup.sent(kernel, transport, request(isVerified: false))
        let stored = try await kernel.cookies.all().map(\.name).sorted()

        #expect(sent == "own=1" && stored == ["new", "own"])
        await kernel.shutDown()
    }
}
