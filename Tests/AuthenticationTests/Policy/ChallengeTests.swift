import TestSupport
import Testing

@testable import PlugboardAuthentication

struct ChallengeTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var fields: [String]
        /// Each challenge as `scheme token68 name=value …`.
        var challenges: [String]

        init(_ fields: String..., means challenges: [String]) {
            self.fields = fields
            self.challenges = challenges
        }

        var testDescription: String { fields.joined(separator: " | ") }
    }

    @Test(arguments: [
        Case(means: []),
        Case("", means: []),
        Case(" , ,", means: []),
        Case("Basic", means: ["Basic"]),
        Case(#"Basic realm="simple""#, means: ["Basic realm=simple"]),
        Case(#"Basic realm = "with, comma and \"quotes\" \\""#, means: [#"Basic realm=with, comma and "quotes" \"#]),
        Case("Bearer realm=x, error=invalid_token", means: ["Bearer realm=x error=invalid_token"]),
        Case("Negotiate, Basic realm=x", means: ["Negotiate", "Basic realm=x"]),
        Case("Negotiate YWJj==, Basic realm=x", means: ["Negotiate YWJj==", "Basic realm=x"]),
        Case("Negotiate a=", means: ["Negotiate a="]),
        Case(
            #"Newauth realm="apps", type=1, title="Login to \"apps\"", Basic realm="simple""#,
            means: [#"Newauth realm=apps type=1 title=Login to "apps""#, "Basic realm=simple"]),
        Case(",, Basic realm=x ,, Bearer ,", means: ["Basic realm=x", "Bearer"]),
        Case("Basic ,realm=x, Bearer", means: ["Basic realm=x", "Bearer"]),
        Case("Basic , , realm=x,,charset=y , Bearer", means: ["Basic realm=x charset=y", "Bearer"]),
        Case("Basic,realm=x", means: ["Basic realm=x"]),
        Case("Basic , Bearer, error=x", means: ["Basic", "Bearer error=x"]),
        Case("Basic realm=x", "Bearer", means: ["Basic realm=x", "Bearer"]),
        Case("Bearer\trealm=x", means: ["Bearer realm=x"]),
        Case(#"Basic realm="never closed"#, means: []),
        Case(#"Basic realm="ends with a \"#, means: []),
        Case(#"Bearer, Basic realm="never closed, Digest"#, means: ["Bearer"]),
        Case("Basic a b", means: []),
        Case("=, Basic", means: []),
        Case("Basic realm=x y", means: []),
        Case("\"Basic\"", means: []),
        Case("Basic realm=\"é\u{7F}\u{0}\"", means: ["Basic realm=é\u{7F}\u{0}"]),
        Case("é", means: []),
    ])
    func `a list of challenges is read up to its first syntax error`(example: Case) {
        let challenges = Challenge.parse(example.fields)

        let texts = challenges.map { challenge in
            ([challenge.scheme] + [challenge.token68].compactMap { $0 }
                + challenge.parameters.map { "\($0.name)=\($0.value)" }).joined(separator: " ")
        }
        #expect(texts == example.challenges)
    }

    @Test(
        arguments: [
            ([], true), (["bearer realm=x"], true), (["Basic, BEARER"], true), (["Basic realm=x"], false),
            (["Digest nonce=1", "Bearer"], true), (["=broken"], true), (["Bearer2"], false),
        ] as [([String], Bool)])
    func `a challenge of the same scheme matches, and so does a 401 without a challenge`(fields: [String], fits: Bool) {
        #expect(Challenge.ask(fields, for: .bearer) == fits)
    }

    @Test func `random bytes do not trap the parser`() {
        var generator = SystemRandomNumberGenerator()
        let alphabet = Array("Basic Bearer=\"\\,; \t\0\u{7F}é".unicodeScalars)

        for _ in 0..<2000 {
            let text = String(
                String.UnicodeScalarView((0..<24).compactMap { _ in alphabet.randomElement(using: &generator) }))
            // Parsed values are parts of the input.
            for challenge in Challenge.parse([text]) { #expect(text.contains(challenge.scheme)) }
        }
    }

    @Test func `a field of a megabyte is parsed`() {
        let field = String(repeating: "Basic realm=\"x\", ", count: 60_000)

        #expect(Challenge.parse([field]).count == 60_000)
    }
}
