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

    enum Topics: Endpoint {
        typealias Response = String
        case tag(Int)
        case group(String)

        var path: String {
            switch self {
            case .tag(let number): "tags/\(number)"
            case .group(let name): "groups/\(name)"
            }
        }
    }

    @Test func `the cases of an enumeration are no properties`() async throws {
        let client = try client()

        #expect(try await client.request(for: Topics.tag(1)).url == "https://a.test/tags/1")
        #expect(try await client.request(for: Topics.group("b")).url == "https://a.test/groups/b")
    }

    /// With hooks as most programs write them.
    struct Guarded: Endpoint {
        struct Refused: Error {}
        typealias Response = String
        let path = "a"
        var refusesBefore = false

        func prepare(_ request: inout Request) throws {
            if refusesBefore { throw Refused() }
            request.fields["x-signature"] = "signed"
        }

        func validate(_ response: ReceivedResponse) throws { throw Refused() }
    }

    @Test func `hooks that throw any error are called, and their errors are told`() async throws {
        let client = try client()

        let request = try await client.request(for: Guarded())
        let before = await #expect(throws: PlugboardError.self) { try await client.send(Guarded(refusesBefore: true)) }
        let after = await #expect(throws: PlugboardError.self) { try await client.send(Guarded()) }

        #expect(request.fields["x-signature"] == "signed")
        #expect(before?.code == .requestRefused && before?.reason.contains("Guarded.prepare") == true)
        #expect(after?.code == .requestRefused && after?.reason.contains("Guarded.validate") == true)
    }

    /// With hooks that wait.
    struct Signed: Endpoint {
        typealias Response = String
        let path = "a"
        let key: Task<String, Never>

        func prepare(_ request: inout Request) async { request.fields["x-key"] = await key.value }
        func validate(value: String) async throws { if await key.value == value { throw CancellationError() } }
    }

    @Test func `hooks that wait are called`() async throws {
        let client = try client()

        let request = try await client.request(for: Signed(key: Task { "k" }))
        let error = await #expect(throws: PlugboardError.self) { try await client.send(Signed(key: Task { "ok" })) }

        #expect(request.fields["x-key"] == "k")
        #expect(error?.code == .cancelled && error?.reason.contains("Signed.validate") == true)
    }

    struct Redirection: Endpoint, Encodable {
        typealias Response = String
        let path = "redirections"
        let base = "https://b.test"
        let target: String
        let attempts = 3

        enum CodingKeys: String, CodingKey { case base, attempts, target = "path" }
    }

    @Test func `a parameter has the name of a requirement by its CodingKey`() async throws {
        let request = try await client().request(for: Redirection(target: "/c"))

        #expect(request.url == "https://b.test/redirections?path=%2Fc")
        #expect(request.retry.attempts == 3)
    }

    struct Registration: Endpoint, Encodable {
        struct Address: Encodable { let postCode = "1" }

        typealias Response = String
        var method: Method { .post }
        var path: String { "boards/{boardName}" }
        var queryParameters: Set<String> { ["isDraft"] }
        let boardName = "swift"
        let firstName = "Ada"
        let homeAddress = Address()
        let isDraft = true
        var ownCodec: JSONCodec?
        var requestCodec: (any Codec)? { ownCodec }

        enum CodingKeys: CodingKey { case boardName, firstName, homeAddress, isDraft }
    }

    @Test func `the names of properties are spelled in a body as its codec spells them`() async throws {
        var settings = ClientSettings(base: "https://a.test")
        let plain = Client(kernel: try Kernel(transport: ScriptedTransport()), settings: settings)
        settings.requestCodec = JSONCodec(keys: .snakeCase)
        settings.parameters = ["apiKey": 1]
        let snake = Client(kernel: try Kernel(transport: ScriptedTransport()), settings: settings)

        let unchanged = try await plain.request(for: Registration())
        let spelled = try await snake.request(for: Registration())
        let own = try await plain.request(for: Registration(ownCodec: JSONCodec(keys: .snakeCase)))

        #expect(unchanged.url == "https://a.test/boards/swift?isDraft=true" && spelled.url == unchanged.url)
        #expect(
            try await unchanged.body?.collect(upTo: .kibibytes(1)).text
                == #"{"firstName":"Ada","homeAddress":{"postCode":"1"}}"#)
        #expect(
            try await spelled.body?.collect(upTo: .kibibytes(1)).text
                == #"{"apiKey":1,"first_name":"Ada","home_address":{"post_code":"1"}}"#)
        #expect(
            try await own.body?.collect(upTo: .kibibytes(1)).text
                == #"{"first_name":"Ada","home_address":{"post_code":"1"}}"#)
    }

    struct Alike: Endpoint, Encodable {
        typealias Response = String
        var method: Method { .post }
        var path: String { "a" }
        let firstName = "Ada"
        let first_name = "Bob"
    }

    @Test func `two properties that are spelled alike are an error, and none is lost`() async throws {
        var settings = ClientSettings(base: "https://a.test")
        settings.requestCodec = JSONCodec(keys: .snakeCase)
        let client = Client(kernel: try Kernel(transport: ScriptedTransport()), settings: settings)

        let error = await #expect(throws: PlugboardError.self) { _ = try await client.request(for: Alike()) }

        #expect(error?.code == .requestParameter && error?.reason.contains("Two properties of Alike") == true)
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

    struct OwnCodec: Endpoint {
        typealias Response = String
        let path = "orders"
        let responseCodec = JSONCodec()
    }

    class Base: @unchecked Sendable { let attempts: Int? = 5 }
    final class Derived: Base, Endpoint, @unchecked Sendable {
        typealias Response = String
        let path = "orders"
    }

    @Test func `a superclass's property with a requirement's name and another type is an error`() async throws {
        let error = await #expect(throws: PlugboardError.self) { _ = try await client().request(for: Derived()) }

        #expect(error?.reason.hasPrefix("Derived.attempts has the type Optional<Int>") == true)
    }

    @Test func `a property with a requirement's name and another type is an error`() async throws {
        let client = try client()

        let optional = await #expect(throws: PlugboardError.self) { _ = try await client.send(OptionalAttempts()) }
        let codec = await #expect(throws: PlugboardError.self) { _ = try await client.request(for: OwnCodec()) }

        #expect(optional?.code == .configuration)
        #expect(
            optional?.reason.hasPrefix("OptionalAttempts.attempts has the type Optional<Int>, and the requirement")
                == true)
        #expect(codec?.reason.hasPrefix("OwnCodec.responseCodec has the type JSONCodec") == true)
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
