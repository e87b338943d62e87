import PlugboardAuthenticationOptions
import PlugboardKit
import TestSupport
import Testing

@testable import PlugboardAuthentication

struct CredentialTests {
    @Test func `attributes without a scheme give no credential`() throws {
        #expect(try read(["token": "t", "user": "u"]) == nil)
    }

    @Test(
        arguments: [
            (["scheme": "basic", "user": "u", "password": "p"], .basic(user: "u"), .text(.given("p"))),
            (["scheme": "basic", "user": "", "password": ""], .basic(user: ""), .text(.given(""))),
            (["scheme": "basic", "user": "u", "passwordFile": "/f"], .basic(user: "u"), .text(.file("/f"))),
            (
                ["scheme": "basic", "user": "u", "passwordEnvironment": "E"], .basic(user: "u"),
                .text(.environment("E"))
            ),
            (
                ["scheme": "bearer", "token": "t", "tokenFile": "/f", "tokenCommand": #"["c"]"#], .bearer,
                .text(.given("t"))
            ),
            (["scheme": "bearer", "tokenFile": "/f", "tokenEnvironment": "E"], .bearer, .text(.file("/f"))),
            (["scheme": "bearer", "tokenEnvironment": "E"], .bearer, .text(.environment("E"))),
            (
                ["scheme": "bearer", "tokenCommand": #"["c", "a b"]"#, "tokenLifetime": "5m"], .bearer,
                .command(["c", "a b"], lifetime: .seconds(300))
            ),
            (
                ["scheme": "oauth", "tokenURL": "https://login.test/token", "refreshToken": "r"], .bearer,
                .endpoint(TokenEndpoint(url: "https://login.test/token", refreshToken: .given("r")))
            ),
            (
                [
                    "scheme": "oauth", "tokenURL": "https://login.test/token", "clientID": "c",
                    "clientSecretFile": "/f",
                    "clientAuthentication": "body", "scope": "a b", "parameters": #"{"audience": "x"}"#,
                    "tokenLifetime": "1h",
                ], .bearer,
                .endpoint(
                    TokenEndpoint(
                        url: "https://login.test/token", clientID: "c", clientSecret: .file("/f"),
                        clientAuthentication: .body, scope: "a b", parameters: ["audience": "x"],
                        lifetime: .seconds(3600)))
            ),
        ] as [([String: String], Credential.Scheme, Credential.Source)])
    func `attributes give a credential, and the first source of a secret counts`(
        attributes: [String: String], scheme: Credential.Scheme, source: Credential.Source
    ) throws {
        #expect(try read(attributes) == Credential(scheme: scheme, source: source))
    }

    @Test(
        arguments: [
            (["scheme": "digest"], "scheme"),
            (["scheme": "basic", "password": "p"], "user"),
            (["scheme": "basic", "user": "a:b", "password": "p"], "user"),
            (["scheme": "basic", "user": "a\nb", "password": "p"], "user"),
            (["scheme": "basic", "user": "u"], "password"),
            (["scheme": "bearer"], "token"),
            (["scheme": "bearer", "tokenCommand": "[]"], "token"),
            (["scheme": "bearer", "tokenCommand": #"[""]"#], "tokenCommand"),
            (["scheme": "bearer", "tokenCommand": #"["a", "b\u0000"]"#], "tokenCommand"),
            (["scheme": "oauth", "refreshToken": "r"], "tokenURL"),
            (["scheme": "oauth", "refreshToken": "r", "tokenURL": "login.test"], "tokenURL"),
            (["scheme": "oauth", "tokenURL": "https://login.test/"], "refreshToken"),
            (["scheme": "oauth", "tokenURL": "https://login.test/", "clientSecret": "s"], "clientID"),
        ] as [([String: String], String)])
    func `an incomplete credential is an error that names the attribute`(attributes: [String: String], name: String) {
        let error = #expect(throws: PlugboardError.self) { try read(attributes) }

        #expect(error?.code == .authenticationCredential)
        #expect(error?.reason.contains("authentication.\(name)") == true)
    }

    @Test(
        arguments: [
            (.basic(user: "Aladdin"), "open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
            (.basic(user: "test"), "123£", "Basic dGVzdDoxMjPCow=="),
            (.basic(user: ""), "", "Basic Og=="),
            (.basic(user: "u"), "a:b", "Basic dTphOmI="),
            (.bearer, "mF_9.B5f-4.1JqM~+/==", "Bearer mF_9.B5f-4.1JqM~+/=="),
        ] as [(Credential.Scheme, String, String)])
    func `the field value follows RFC 7617 and RFC 6750`(
        scheme: Credential.Scheme, secret: String, field: String
    ) throws {
        #expect(try Credential(scheme: scheme, source: .text(.given(secret))).fieldValue(for: secret) == field)
    }

    @Test(
        arguments: [
            (.basic(user: "u"), "a\u{0}hidden"), (.basic(user: "u"), "hidden\r\nX: y"), (.bearer, ""),
            (.bearer, "hidden x"),
            (.bearer, "hidden\r\nX: y"), (.bearer, "hiddené"),
        ] as [(Credential.Scheme, String)])
    func `a secret with invalid characters is an error that does not contain it`(
        scheme: Credential.Scheme, secret: String
    ) {
        let error = #expect(throws: PlugboardError.self) {
            try Credential(scheme: scheme, source: .text(.given(secret))).fieldValue(for: secret)
        }

        #expect(error?.code == .authenticationCredential)
        #expect(error?.reason.contains("hidden") == false)
    }

    private func read(_ attributes: [String: String]) throws -> Credential? {
        try Credential(reading: { name in attributes[String(name.dropFirst("authentication.".count))] })
    }
}
