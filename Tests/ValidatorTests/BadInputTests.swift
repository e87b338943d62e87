import Plugboard
import PlugboardJSON
import PlugboardValidator
import PlugboardValidatorOptions
import TestSupport
import Testing

/// Bodies and schemas that a server or a program should not give, linked and loaded.
struct BadInputTests {
    private static let catastrophe = "[\"\(String(repeating: "a", count: 40))!\"]"
    private static let million = String(repeating: "9", count: 1_000_000)

    @Test(
        arguments: [
            // Nested 100,000 deep, open and closed.
            ("true", String(repeating: "[", count: 100_000), "validator.json"),
            ("true", String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000), "validator.json"),
            ("true", String(repeating: "{\"a\":", count: 100_000), "validator.json"),
            // A number of a million digits: exact.
            (#"{"multipleOf": 3}"#, million, nil), (#"{"multipleOf": 2}"#, million, "validator.invalid"),
            (#"{"maximum": 10}"#, million, "validator.invalid"),
            (#"{"type": "integer"}"#, "1e\(million)", "validator.json"),
            // A tiny divisor.
            (#"{"multipleOf": 1e-300}"#, "1.5e-299", nil),
            (#"{"multipleOf": 1e-300}"#, "1.5e-300", "validator.invalid"),
            (#"{"multipleOf": 1e-300}"#, "1e300", nil),
            // Duplicate keys.
            (#"{"properties": {"a": {"type": "integer"}}}"#, #"{"a": 1, "a": "x"}"#, "validator.invalid"),
            (#"{"properties": {"a": {"type": "integer"}}}"#, #"{"a": "x", "a": 1}"#, "validator.invalid"),
            (#"{"maxProperties": 1}"#, #"{"a": 1, "a": 2}"#, nil),
            // A lone surrogate.
            ("true", #""\ud800""#, "validator.json"), ("true", #""\udc00\ud800""#, "validator.json"),
            // A catastrophic pattern ends at its limit.
            (#"{"items": {"pattern": "^(a+)+$"}}"#, catastrophe, "validator.invalid"),
            (#"{"items": {"pattern": "(a|aa)+$"}}"#, catastrophe, "validator.invalid"),
            // Schemas that are none.
            (#"{"type": 5}"#, "1", "validator.schema"), ("[]", "1", "validator.schema"), ("{", "1", "validator.schema"),
            (#"{"pattern": "("}"#, "1", "validator.schema"), (#"{"multipleOf": 0}"#, "1", "validator.schema"),
            (##"{"$ref": "#"}"##, "1", "validator.schema"),
            (
                ##"{"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"anyOf": [{"$ref": "#"}]}}}"##, "1",
                "validator.schema"
            ),
            (#"{"$ref": "https://a.test/none"}"#, "1", "validator.schema"),
            (##"{"$ref": "#/$defs/none"}"##, "1", "validator.schema"),
            (#"{"$schema": "https://a.test/none"}"#, "1", "validator.schema"),
        ] as [(String, String, String?)], Linkage.allCases)
    func `bad input ends with its error`(input: (schema: String, body: String, code: String?), linkage: Linkage)
        async throws
    {
        let start = ContinuousClock.now
        for isStreamed in [false, true] {
            let outcome = await outcome(linkage, input.schema, [Array(input.body.utf8)], isStreamed: isStreamed)
            #expect(outcome?.code.description == input.code, "\(input.schema): \(String(describing: outcome))")
        }
        #expect(ContinuousClock.now - start < .seconds(60))
    }

    @Test(
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC0, 0xAF, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0xFE, 0xFF, 0x00, 0x31],
            [0x31, 0x00], [0x00],
        ] as [[UInt8]], Linkage.allCases)
    func `bytes that are not UTF-8 are not JSON`(bytes: [UInt8], linkage: Linkage) async throws {
        #expect(await outcome(linkage, "true", [bytes], isStreamed: false)?.code == .validatorJSON)
        #expect(await outcome(linkage, "true", bytes.map { [$0] }, isStreamed: true)?.code == .validatorJSON)
    }

    @Test(arguments: Linkage.allCases)
    func `a body of 100 MB is refused at its limit, and streams without being kept`(linkage: Linkage) async throws {
        // Long strings, which a build without optimization reads quickly, too.
        let element = Array("\"\(String(repeating: "a", count: 65_000))\",".utf8)
        let pieces = [[UInt8(ascii: "[")]] + [[UInt8]](repeating: element, count: 1600) + [Array("\"\"]".utf8)]
        let schema = #"{"items": {"type": "string"}}"#

        #expect(await outcome(linkage, schema, pieces, isStreamed: false)?.code == .validatorLimit)
        #expect(await outcome(linkage, schema, pieces, isStreamed: true, limit: .gibibytes(1)) == nil)
    }

    private func outcome(
        _ linkage: Linkage, _ schema: String, _ pieces: [[UInt8]], isStreamed: Bool, limit: ByteCount? = nil
    ) async -> PlugboardError? {
        let fields = Fields(["Content-Type": "application/json"])
        do {
            let transport = MockTransport { _, _ in .source(200, fields, Pieces(pieces)) }
            let kernel = try linkage.kernel(
                validatorPlugin(), transport, settings: ["streams": .bool(isStreamed)])
            var request = Request(.get, "http://a.test/")
            request.validator.schema = schema
            request.validator.limit = limit
            var count = 0
            for try await piece in try await kernel.send(request).body { count += piece.count }
            #expect(count == pieces.reduce(0) { $0 + $1.count })
            return nil
        } catch {
            return error as? PlugboardError
        }
    }

    /// Sendable because only the loop pulls it.
    private final class Pieces: BodySource, @unchecked Sendable {
        private var rest: ArraySlice<[UInt8]>

        init(_ pieces: [[UInt8]]) { rest = pieces[...] }

        var length: Int? { nil }

        func pull(_ pull: Pull) {
            if let piece = rest.popFirst() { pull.give(Bytes(piece)) } else { pull.end() }
        }
    }
}
