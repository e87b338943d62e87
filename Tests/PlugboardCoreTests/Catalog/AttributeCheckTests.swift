import Plugboard
import PlugboardKit
import TestSupport
import Testing

@testable import PlugboardCore

@Suite struct AttributeCheckTests {
    private func check() throws -> AttributeCheck {
        let linked = Catalog([
            export(CatalogPlugins.Cache.self), export(CatalogPlugins.Sign.self), CatalogPlugins.plain("unlisted"),
            CatalogPlugins.plain("off"), export(Login.self),
        ])
        return AttributeCheck(
            try Lineup(
                Configuration(plugins: [
                    "cache", .init("com.acme.sign", settings: ["key": "k"]), .init("off", isEnabled: false),
                    .init("login", isEnabled: false), .init(id: nil, path: "/y.so", isEnabled: false),
                    .init(id: "loaded.off", path: "/x.so", isEnabled: false),
                ]), catalog: linked))
    }

    @Test(arguments: [
        [:], ["cache.ttl": "30s"], ["cache.enabled": "false", "com.acme.sign.enabled": "true"],
        ["com.acme.sign.rounds": "9"], ["login.scheme": "basic"],
        ["off.ttl": "x", "loaded.off.key": "y"], ["other.enabled": "false"],
    ])
    func `what fits, and what is for plugins that the configuration switches off, passes`(values: [String: String])
        throws
    {
        var attributes = Attributes()
        for (name, value) in values { attributes[name] = value }

        #expect(try check().error(in: attributes) == nil)
    }

    @Test(arguments: [
        ("cache.tll", "30s", "The request's attribute cache.tll is not a known attribute of cache; did you mean ttl?"),
        ("cache.ttl", "hunter2", "The request's attribute cache.ttl must be a time like \"30s\" (ms, s, m, h, d)."),
        ("cache.ttl", "2m", "The request's attribute cache.ttl must lie between 0ms and 1m."),
        ("cache.enabled", "no", "The request's attribute cache.enabled must be true or false."),
        ("com.acme.sign.rounds", "0", "The request's attribute com.acme.sign.rounds must lie between 1 and 9."),
        (
            "unlisted.x", "1",
            "The request's attribute unlisted.x is for the plugin unlisted, which is not switched on; add it to the "
                + "configuration's plugins, or leave the attribute out."
        ),
        (
            "cach.ttl", "x",
            "The request's attribute cach.ttl is for no plugin that is switched on; did you mean cache.ttl?"
        ),
        (
            "other.enabled", "true",
            "The request's attribute other.enabled is for no plugin that is switched on; if it is for a file that is "
                + "switched off, write the plugin's id beside the file's path."
        ),
        (
            "login.password", "hunter2",
            "The request's attribute login.password is a secret for the plugin login, which is switched off, so that the "
                + "request would be sent without it; switch the plugin on, or leave the attribute out."
        ),
        (
            "plain", "x",
            "The request's attribute plain names no plugin; the name of an attribute begins with its plugin's id, such as cache.mode."
        ),
        (
            "com.acme.sign.x.y", "0",
            "The request's attribute com.acme.sign.x.y is not a known attribute of com.acme.sign; known are rounds, enabled."
        ),
    ])
    func `what does not fit is refused with a sentence`(name: String, value: String, reason: String) throws {
        var attributes: Attributes = ["cache.bypass": "true"]
        attributes[name] = value

        let error = try check().error(in: attributes)

        #expect(error?.code == .invalidOption)
        #expect(error?.reason == reason)
    }

    @Test func `a request with attributes for a plugin that is not switched on is not sent`() async throws {
        let transport = MockTransport { _, _ in .respond(200) }
        let kernel = try Kernel(
            configuration: Configuration(plugins: ["redirect"]), catalog: .bundled, transport: transport, log: .silent)
        var request = Request(.get, anywhere)
        request.attributes["authentication.scheme"] = "basic"
        request.attributes["authentication.user"] = "u"
        request.attributes["authentication.password"] = "p"

        let error = await #expect(throws: PlugboardError.self) { try await kernel.send(request) }
        await kernel.shutDown()

        #expect(error?.code == .invalidOption)
        #expect(error?.reason.contains("authentication, which is not switched on") == true, "\(error?.reason ?? "")")
        #expect(transport.requests.isEmpty)
    }

    private struct Login: Plugin {
        static let manifest = Manifest(
            id: "login", version: "1.0.0", documentation: "Logs in.", priority: 500, hooks: [.request],
            attributes: [
                AttributeKey<String>("login", "scheme", "How.").definition,
                AttributeKey<String>("login", "password", "With what.", isSecret: true).definition,
            ])

        init(settings: NoSettings, host: PluginHost) throws {}
    }

    @Test func `of several errors it is always the same one`() throws {
        let attributes: Attributes = ["cache.ttl": "x", "cache.bypass": "x", "cache.enabled": "x"]

        let reasons = try (0..<20).map { _ in try check().error(in: attributes)?.reason }

        #expect(Set(reasons).count == 1)
        #expect(reasons.first??.contains("cache.bypass") == true)
    }

    @Test func `more than the limit is refused, whoever it is for`() throws {
        let most = String(repeating: "x", count: Attributes.byteLimit - 5)

        #expect(try check().error(in: ["off.a": most]) == nil)
        #expect(try check().error(in: ["off.ab": most])?.reason.contains("65537 bytes") == true)
    }
}
