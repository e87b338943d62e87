import PlugboardEndpoints
import PlugboardMessages
import PlugboardTesting
import Testing

/// Properties as somebody writes them who has not read the pages.
@Suite struct NaturalPropertiesTests {
    private func client() throws -> Client {
        Client(kernel: try Kernel(transport: ScriptedTransport()), settings: ClientSettings(base: "https://a.test"))
    }

    struct Order: Endpoint {
        typealias Response = String
        let method = Method.post
        let path = "orders"
        let base = "https://b.test"
        let attempts = 5
        let timeouts = Timeouts(total: .seconds(7))
        let credentials = Credentials.bearer("secret")
        let cache = CacheUse(version: "2")
        let body = EndpointBody.text("order")
        let tag = "a"
        let group = "g"
        let acceptableTypes = ["text/plain"]
    }

    @Test func `constants without a type set what they are named after`() async throws {
        let client = try client()

        let request = try await client.request(for: Order())
        let call = client.call(Order())

        #expect(request.method == .post && request.url == "https://b.test/orders")
        #expect(request.retry.attempts == 5)
        #expect(request.options.timeout == .seconds(7))
        #expect(request.cache.version == "2")
        #expect(request[.accept] == "text/plain")
        #expect(request.body != nil)
        #expect(request.attributes.values.keys.contains { $0.hasPrefix("authentication.") })
        #expect(call.tag == "a" && call.group == "g" && call.category == nil)
    }

    struct OptionalAttempts: Endpoint {
        typealias Response = String
        let path = "orders"
        let attempts: Int? = 5
    }

    struct ListOfTypes: Endpoint {
        typealias Response = String
        let path = "orders"
        let responseCodec = JSONCodec()
    }

    @Test func `a property with a requirement's name and another type is an error`() async throws {
        let client = try client()

        let optional = await #expect(throws: PlugboardError.self) { _ = try await client.send(OptionalAttempts()) }
        let codec = await #expect(throws: PlugboardError.self) { _ = try await client.request(for: ListOfTypes()) }

        #expect(optional?.code == .configuration)
        #expect(
            optional?.reason.hasPrefix("OptionalAttempts.attempts has the type Optional<Int>, and the requirement")
                == true)
        #expect(codec?.reason.hasPrefix("ListOfTypes.responseCodec has the type JSONCodec") == true)
    }

    @Test func `a printed endpoint shows no password`() {
        struct Login: Endpoint {
            typealias Response = String
            let path = "login"
            let credentials: Credentials
        }
        var dumped = ""

        let printed = ["\(Login(credentials: .basic(user: "ada", password: "secret")))", "\(Order())"]
        dump(Login(credentials: .bearer("secret")), to: &dumped)

        #expect(printed.allSatisfy { !$0.contains("secret") } && !dumped.contains("secret"))
        #expect(printed[0].contains("basic, for ada"))
    }
}
