import Plugboard
import PlugboardKit
import Testing

@testable import PlugboardCore

@Suite struct OriginAttributesTests {
    @Test(arguments: [
        (#"{ "https://a": {}, "HTTPS://a:443": {} }"#, #"origins["HTTPS://a:443"]"#, "is the same as another key"),
        (#"{ "https://a/": {} }"#, "origins", "has the key https://a/, which is not an origin; write https://a"),
        (#"{ "a.example:8443": {} }"#, "origins", "which is not an origin; write https://a.example:8443"),
        (#"{ "ftp://a": {} }"#, "origins", "which is not an origin; write scheme://host or scheme://host:port"),
        (#"{ "https://a": 1 }"#, #"origins["https://a"]"#, "must be an object of plugins' ids"),
        (#"{ "https://a": { "retry": 3 } }"#, #"origins["https://a"].retry"#, "must be an object of attributes"),
        (#"{ "https://a": { "retry": { "x": null } } }"#, #"origins["https://a"].retry.x"#, "must not be null"),
        (#"[]"#, "origins", "must be an object, not an array"),
    ])
    func `what does not fit is an error`(origins: String, path: String, reason: String) {
        let check = Configuration.check("{ \"origins\": \(origins) }".utf8)

        #expect(check.errors.map(\.path) == [path])
        #expect(check.errors.first?.reason.contains(reason) == true, "\(check.errors)")
    }

    @Test func `code sets them as a request has them`() {
        var configuration = Configuration(
            plugins: ["retry", "authentication"], origins: ["https://a": ["retry.delay": "2s"]])

        configuration.requests(to: "https://a") { request in
            request.retry.attempts = 5
            request.retry.failures = [.transportReset, .transportDNS]
            request.authentication.bearer("token")
        }

        #expect(
            configuration.origins["https://a"]?.values == [
                "retry.delay": "2s", "retry.attempts": "5", "retry.failures": #"["transport.dns","transport.reset"]"#,
                "authentication.scheme": "bearer", "authentication.token": "token",
            ])
        #expect(configuration.errors() == [])
    }

    @Test func `code that sets more than attributes is an error`() {
        var configuration = Configuration()

        configuration.requests(to: "https://a") { $0.fields["X-Key"] = "1" }
        configuration.requests(to: "https://b") { $0.options.timeout = .seconds(1) }

        let errors = configuration.errors()
        #expect(errors.map(\.path) == [#"origins["https://a"]"#, #"origins["https://b"]"#])
        #expect(errors.first?.reason.contains("can have attributes only") == true)
    }

    @Test func `attributes of an origin are limited`() {
        let long = String(repeating: "x", count: Attributes.byteLimit)
        let text = "{ \"origins\": { \"https://a\": { \"b\": { \"c\": \"\(long)\" } } } }"

        #expect(Configuration.check(text.utf8).errors.map(\.path) == [#"origins["https://a"]"#])
    }

    @Test func `numbers in attributes are written as options write them`() throws {
        let text = #"{ "origins": { "http://a": { "b": { "c": 1e2, "d": 0.50, "e": "t", "f": {"g": "h"} } } } }"#

        let configuration = try Configuration.text(text)

        #expect(
            configuration.origins.values.first?.values
                == ["b.c": "100", "b.d": "0.50", "b.e": "t", "b.f": #"{"g":"h"}"#])
    }
}
