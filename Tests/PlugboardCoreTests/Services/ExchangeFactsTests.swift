import PlugboardCore
import PlugboardKit
import TestSupport
import Testing

/// What a plugin needs to send a request again later.
struct ExchangeFactsTests {
    private struct Names: AttributeTable {
        static let keys = Names()
        let plain = AttributeKey<String>("reader", "plain", "A text.")
        let secret = AttributeKey<String>("reader", "secret", "A secret.", isSecret: true)
        let given = AttributeKey<String>("reader", "given", "A text of the configuration.")
    }

    /// A kernel with a plugin that records what it sees, and the configuration's attribute `reader.given`.
    private func kernel(_ seen: Record, beside others: [ScriptedPlugin] = []) throws -> Kernel {
        let reader = ScriptedPlugin("reader", priority: 100)
        reader.attributes = Names.definitions
        reader.onRequest = { exchange in
            let options = exchange.options
            let own = exchange.ownAttributes(includesSecrets: false).values.keys.sorted()
            let all = exchange.ownAttributes(includesSecrets: true).values.keys.sorted()
            seen.add(
                "\(exchange.sender ?? "program") \(options.proxy ?? "-") \(options.timeout ?? .zero) \(own) \(all)")
            return .next
        }
        return try makeKernel([reader] + others) { $0.origins = ["http://a.test": ["reader.given": "yes"]] }
    }

    @Test func `a plugin sees the request's own options and attributes, and which are secret`() async throws {
        let seen = Record()
        let kernel = try kernel(seen)
        var request = Request(.get, "http://a.test/")
        request.options.proxy = "http://proxy.test:1"
        request.options.timeout = .seconds(7)
        request[Names.keys.plain] = "a"
        request[Names.keys.secret] = "b"

        _ = try await kernel.send(request)
        _ = try await kernel.send(Request(.get, "http://a.test/"))

        #expect(
            seen.lines == [
                #"program http://proxy.test:1 7.0 seconds ["reader.plain"] ["reader.plain", "reader.secret"]"#,
                "program - 0.0 seconds [] []",
            ])
        await kernel.shutDown()
    }

    @Test(arguments: [("http://a.test/", nil, true), ("http://b.test/", "a", true), ("http://b.test/", nil, false)])
    func `a plugin sees whether there is any attribute, of the request or of the configuration`(
        url: String, own: String?, isAny: Bool
    ) async throws {
        let seen = Record()
        let reader = ScriptedPlugin("reader", priority: 100)
        reader.attributes = Names.definitions
        reader.onRequest = { exchange in
            seen.add("\(exchange.hasAttributes)")
            return .next
        }
        let kernel = try makeKernel([reader]) { $0.origins = ["http://a.test": ["reader.given": "yes"]] }
        var request = Request(.get, url)
        request[Names.keys.plain] = own

        _ = try await kernel.send(request)

        #expect(seen.lines == ["\(isAny)"])
        await kernel.shutDown()
    }

    @Test(arguments: [("http://proxy.test:1", false), ("http://me:word@proxy.test:1", true)])
    func `a plugin sees which options of the request hold a secret`(proxy: String, isSecret: Bool) async throws {
        let seen = Record()
        let reader = ScriptedPlugin("reader", priority: 100)
        reader.onRequest = { exchange in
            for _ in 0..<2 {
                for option in exchange.optionTexts { seen.add("\(option.name) \(option.value) \(option.isSecret)") }
            }
            return .next
        }
        let kernel = try makeKernel([reader])
        var request = Request(.get, "http://a.test/")
        request.options.proxy = proxy
        request.options.connectTimeout = .seconds(7)

        _ = try await kernel.send(request)

        let once = ["connectTimeout 7000ms false", "proxy \(proxy) \(isSecret)"]
        #expect(seen.lines == once + once)
        await kernel.shutDown()
    }

    @Test func `a plugin sees by which route a request goes, and whether the server is verified`() async throws {
        let seen = Record()
        let reader = ScriptedPlugin("reader", priority: 100)
        reader.onRequest = { [unowned reader] exchange in
            let route = exchange.route
            let isConfigured = reader.host?.route(of: Request(.get, exchange.request.url)) == route
            seen.add("\(route.text.utf8.count) \(route.isVerified) \(isConfigured)")
            return .next
        }
        let kernel = try makeKernel([reader]) {
            $0.kernel.tls.pins = ["pinned.test": ["sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="]]
        }
        func send(_ url: String, _ change: (inout RequestOptions) -> Void = { _ in }) async throws {
            var request = Request(.get, url)
            change(&request.options)
            _ = try await kernel.send(request)
        }

        try await send("https://a.test/")
        try await send("https://a.test/") { $0.connectTimeout = .seconds(7) }
        try await send("HTTPS://pinned.test/")
        try await send("https://a.test/") { $0.tls.verify = false }
        try await send("http://a.test/") { $0.tls.verify = false }
        try await send("http://a.test/") { $0.unixSocket = "/run/a.sock" }

        #expect(
            seen.lines == [
                "0 true true", "0 true true", "32 true true", "32 false false", "0 true true", "32 true false",
            ])
        await kernel.shutDown()
    }

    @Test func `a plugin that sends a sub-request sees how many attempts it made`() async throws {
        let seen = Record()
        let asker = ScriptedPlugin("asker", priority: 500)
        asker.onRequest = { [asker] exchange in
            let (host, id) = (asker.host, exchange.id)
            return .wait {
                guard let host else { return { _ in .next } }
                for path in ["twice", "once", "never"] {
                    do throws(PlugboardError) {
                        _ = try await host.send(Request(.get, "http://b.test/\(path)"), for: id)
                    } catch {
                        seen.add("\(path) \(error.code) \(error.attempt ?? 0)")
                    }
                }
                return { _ in .next }
            }
        }
        let again = ScriptedPlugin("again", priority: 800)
        again.onRequest = { exchange in
            exchange.request.url.hasSuffix("never") ? .fail(PlugboardError("test.no", "No.")) : .next
        }
        again.onFailure = { exchange in
            exchange.attempt == 1 && exchange.request.url.hasSuffix("twice") ? .resend() : .next
        }
        let kernel = try makeKernel(
            [asker, again],
            MockTransport { request, _ in
                request.url.hasPrefix("http://b.test")
                    ? .failure(PlugboardError(.transportConnect, "No network.")) : .respond(200, [:], [])
            })

        _ = try await kernel.send(Request(.get, "http://a.test/"))

        #expect(seen.lines == ["twice transport.connect 2", "once transport.connect 1", "never test.no 0"])
        await kernel.shutDown()
    }

    @Test func `a plugin sees which plugin has sent a sub-request`() async throws {
        let seen = Record()
        let asker = ScriptedPlugin("asker", priority: 500)
        asker.onRequest = { [asker] exchange in
            let (host, id) = (asker.host, exchange.id)
            return .wait {
                _ = try await host?.send(Request(.get, "http://b.test/"), for: id, from: .outermost)
                return { _ in .next }
            }
        }
        let kernel = try kernel(seen, beside: [asker])

        _ = try await kernel.send(Request(.get, "http://a.test/"))

        #expect(seen.lines.map { $0.prefix { $0 != " " } } == ["program", "asker"])
        await kernel.shutDown()
    }
}
