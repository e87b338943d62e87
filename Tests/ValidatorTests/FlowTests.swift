import Plugboard
import PlugboardJSON
import PlugboardValidator
import PlugboardValidatorOptions
import TestSupport
import Testing

/// When a body is decided, and what the program sees of it meanwhile.
struct FlowTests {
    private static let list = #"{"items": {"type": "integer"}}"#

    @Test(arguments: Linkage.allCases)
    func `a body that is decided fails although the server holds the rest back`(linkage: Linkage) async throws {
        let gate = Gate()
        gate.admit()
        let server = try LoopbackServer(.chunked(["[1, 2, \"x\"", ", 4]"], gate: gate))
        let kernel = try linkage.kernel(validatorPlugin())
        var request = Request(.get, server.url())
        request.validator.schema = FlowTests.list

        let error = await #expect(throws: PlugboardError.self) { try await kernel.send(request) }

        #expect(error?.code == .validatorInvalid)
        #expect(error?.reason.contains("/2: The value must be an integer. (/items/type)") == true)
        gate.open()
    }

    @Test(arguments: Linkage.allCases)
    func `a text that cannot be JSON fails at once`(linkage: Linkage) async throws {
        let gate = Gate()
        gate.admit()
        let server = try LoopbackServer(.chunked(["[1, }", "]"], gate: gate))
        let kernel = try linkage.kernel(validatorPlugin())
        var request = Request(.get, server.url())
        request.validator.schema = "true"

        let error = await #expect(throws: PlugboardError.self) { try await kernel.send(request) }

        #expect(error?.code == .validatorJSON)
        gate.open()
    }

    @Test(arguments: Linkage.allCases)
    func `with streams the program reads what is valid so far, and the body breaks off`(linkage: Linkage) async throws {
        let gate = Gate()
        gate.admit()
        let server = try LoopbackServer(.chunked(["[1, 2,", "\"x\"]"], gate: gate))
        let kernel = try linkage.kernel(validatorPlugin(), settings: ["streams": true])
        var request = Request(.get, server.url())
        request.validator.schema = FlowTests.list

        let response = try await kernel.send(request)
        var pieces = response.body.makeAsyncIterator()
        let first = try await pieces.next()
        gate.open()
        let error = await #expect(throws: PlugboardError.self) { while try await pieces.next() != nil {} }

        #expect(first?.text == "[1, 2,")
        #expect(error?.code == .validatorInvalid)
    }

    @Test(arguments: Linkage.allCases)
    func `with streams a valid body passes whole, and the limit breaks a larger one`(linkage: Linkage) async throws {
        let pieces = ["[1"] + [String](repeating: ", 1", count: 3000) + ["]"]
        var request = Request(.get, "http://a.test/")
        request.validator.schema = FlowTests.list
        request.validator.streams = true
        var limited = request
        limited.validator.limit = .kibibytes(1)
        let kernel = try kernel(linkage, pieces)

        #expect(try await kernel.send(request).body.text() == pieces.joined())
        let response = try await kernel.send(limited)
        let error = await #expect(throws: PlugboardError.self) { try await response.body.text() }
        #expect(error?.code == .validatorLimit)
        let passing = try self.kernel(linkage, pieces, ["passesLarger": true])
        #expect(try await passing.send(limited).body.text() == pieces.joined())
    }

    @Test(arguments: Linkage.allCases)
    func `with warn a body flows, whatever is wrong with it`(linkage: Linkage) async throws {
        var request = Request(.get, "http://a.test/")
        request.validator.schema = FlowTests.list
        request.validator.mode = .warn
        for pieces in [["[1, ", "\"x\", 3]"], ["[1, ", "}"], ["[1"], ["\u{0}"]] {
            #expect(try await kernel(linkage, pieces).send(request).body.text() == pieces.joined())
        }
    }

    @Test(arguments: Linkage.allCases)
    func `large arrays that are kept, and strings for patterns, are checked off the loop`(linkage: Linkage) async throws
    {
        let numbers = (0..<40_000).map(String.init).joined(separator: ",")
        let cut = numbers.count / 3
        let pieces = ["[" + numbers.prefix(cut), String(numbers.dropFirst(cut)) + "]"]
        var unique = Request(.get, "http://a.test/")
        unique.validator.schema = #"{"uniqueItems": true}"#
        var wrong = unique
        wrong.validator.schema = #"{"contains": {"const": -1}}"#
        var pattern = unique
        pattern.validator.schema = #"{"items": {"pattern": "^a+$"}}"#
        let strings = "[" + [String](repeating: "\"aaa\"", count: 2000).joined(separator: ",") + "]"

        #expect(try await kernel(linkage, pieces).send(unique).body.text() == pieces.joined())
        let error = await #expect(throws: PlugboardError.self) { try await kernel(linkage, pieces).send(wrong) }
        #expect(error?.code == .validatorInvalid)
        #expect(try await kernel(linkage, [strings]).send(pattern).body.text() == strings)
    }

    @Test(arguments: [true, false])
    func `stored responses are checked, or not`(checks: Bool) async throws {
        let fields = Fields(["Content-Type": "application/json", "Cache-Control": "max-age=600"])
        let transport = MockTransport { _, _ in .respond(200, fields, ["[1]"]) }
        let kernel = try Kernel(
            configuration: Configuration(plugins: [
                PluginEntry(id: "validator", path: nil, settings: ["stored": .bool(checks)]),
                PluginEntry(id: "cache", path: nil, settings: ["persistence": "memory"]),
            ]),
            catalog: .bundled, transport: transport, log: .silent)
        let request = Request(.get, "http://a.test/")
        _ = try await kernel.send(request).body.text()
        var wrong = request
        wrong.validator.schema = "false"

        let outcome = await Result { try await kernel.send(wrong).body.text() }

        #expect(transport.requests.count == 1)
        if checks {
            #expect(throws: PlugboardError.self) { try outcome.get() }
        } else {
            #expect(try outcome.get() == "[1]")
        }
    }

    private func kernel(_ linkage: Linkage, _ pieces: [String], _ settings: JSONObject = [:]) throws -> Kernel {
        try linkage.kernel(validatorPlugin(), MockTransport.json(pieces), settings: settings)
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
