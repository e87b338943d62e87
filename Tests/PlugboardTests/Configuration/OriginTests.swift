import PlugboardKit
import Testing

@testable import Plugboard

@Suite struct OriginTests {
    @Test(arguments: [
        ("https://a.example", "https://a.example"), ("HTTPS://A.Example", "https://a.example"),
        ("https://a.example:443", "https://a.example"), ("http://a.example:443", "http://a.example:443"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"), ("http://[0:0::1]:80", "http://[::1]"),
        ("http://[2001:DB8::0:1]", "http://[2001:db8::1]"),
    ])
    func `an origin has one normal form`(text: String, normal: String) {
        #expect(Origin(text)?.description == normal)
        #expect(Origin(text) == Origin(normal))
    }

    @Test(arguments: [
        "", "a.example", "ftp://a.example", "https:/a.example", "https://", "https://a.example/", "https://a.example:",
        "https://a.example:0", "https://a.example:65536", "https://a.example:+1", "https://me@a.example",
        "https://a.example?", "https://ä.example", "https://[::1", "https://::1", "https://[fe80::1%eth0]",
        "https://[]", "https://a b", "https://[::1]x", "https://a:1:2",
    ])
    func `what is more or less than an origin is none`(text: String) {
        #expect(Origin(text) == nil)
    }

    @Test(arguments: [
        ("https://me:pw@A.example/x?y@z#w", "https://a.example"), ("http://a.example:/", "http://a.example"),
        ("http://a.example?q", "http://a.example"), ("http://[::1]:81/", "http://[::1]:81"),
    ])
    func `the origin of a URL leaves the rest out`(url: String, origin: String) {
        #expect(Origin(url: url)?.description == origin)
    }

    @Test(arguments: [
        (#"{ "https://a": {}, "HTTPS://a:443": {} }"#, #"origins["HTTPS://a:443"]"#, "stands here twice"),
        (#"{ "https://a/": {} }"#, "origins", "must have origins as its keys"),
        (#"{ "https://a": 1 }"#, #"origins["https://a"]"#, "must be an object of plugins' ids"),
        (#"{ "https://a": { "retry": 3 } }"#, #"origins["https://a"].retry"#, "must be an object of attributes"),
        (#"{ "https://a": { "retry": { "x": null } } }"#, #"origins["https://a"].retry.x"#, "must not be null"),
        (#"[]"#, "origins", "must be an object, not an array"),
    ])
    func `what does not fit is a fault`(origins: String, path: String, reason: String) {
        let check = Configuration.check("{ \"origins\": \(origins) }".utf8)

        #expect(check.faults.map(\.path) == [path])
        #expect(check.faults.first?.reason.contains(reason) == true, "\(check.faults)")
    }

    @Test func `attributes of an origin are limited`() {
        let long = String(repeating: "x", count: Attributes.byteLimit)
        let text = "{ \"origins\": { \"https://a\": { \"b\": { \"c\": \"\(long)\" } } } }"

        #expect(Configuration.check(text.utf8).faults.map(\.path) == [#"origins["https://a"]"#])
    }

    @Test func `numbers in attributes are written as options write them`() throws {
        let text = #"{ "origins": { "http://a": { "b": { "c": 1e2, "d": 0.50, "e": "t", "f": {"g": "h"} } } } }"#

        let configuration = try Configuration.text(text)

        #expect(
            configuration.origins.values.first?.values
                == ["b.c": "100", "b.d": "0.50", "b.e": "t", "b.f": #"{"g":"h"}"#])
    }
}
