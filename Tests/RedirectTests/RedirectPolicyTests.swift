import PlugboardKit
import PlugboardRedirectOptions
import Testing

@testable import PlugboardRedirect

struct RedirectPolicyTests {
    @Test(arguments: [
        (301, "GET", "GET", false), (301, "HEAD", "HEAD", false), (301, "POST", "GET", true),
        (301, "PUT", "PUT", false), (302, "POST", "GET", true), (302, "DELETE", "DELETE", false),
        (302, "PATCH", "PATCH", false),
        (303, "GET", "GET", false), (303, "HEAD", "HEAD", false), (303, "POST", "GET", true), (303, "PUT", "GET", true),
        (303, "DELETE", "GET", true), (307, "POST", "POST", false), (307, "GET", "GET", false),
        (308, "POST", "POST", false), (308, "PUT", "PUT", false), (301, "post", "post", false),
    ])
    func `status and method decide the next method`(
        status: Int, method: String, next: String, dropsBody: Bool
    ) throws {
        let situation = situation(status, Method(method), location: "/next")

        let step = try step(RedirectPolicy().decision(for: situation, resolving: resolver(situation)))

        #expect(step == .init(url: "https://example.com/next", method: Method(next), dropsBody: dropsBody))
    }

    @Test(arguments: [(301, "POST"), (302, "POST"), (303, "GET")])
    func `a policy that keeps the method changes it after 303 only`(status: Int, next: String) throws {
        let situation = situation(status, .post, location: "/next")

        let step = try step(RedirectPolicy(keepsMethod: true).decision(for: situation, resolving: resolver(situation)))

        #expect(step.method == Method(next))
    }

    @Test(arguments: [200, 204, 300, 304, 305, 306, 309, 400, 201])
    func `responses with other statuses pass, whatever their Location`(status: Int) {
        let situation = situation(status, .get, location: "/next")

        let decision = RedirectPolicy().decision(for: situation, resolving: resolver(situation))

        #expect(decision == .pass)
    }

    @Test func `a response without a Location passes`() {
        let situation = situation(302, .get, location: nil)

        let decision = RedirectPolicy().decision(for: situation, resolving: resolver(situation))

        #expect(decision == .pass)
    }

    @Test func `a Location that cannot be resolved passes`() {
        let situation = situation(302, .get, location: "http://[broken/")

        let decision = RedirectPolicy().decision(for: situation, resolving: { _ in nil })

        #expect(decision == .pass)
    }

    @Test(arguments: [
        "ftp://example.com/", "file:///etc/passwd", "javascript:alert(1)", "MAILTO:me@example.com", "data:,x",
    ])
    func `schemes other than http and https are refused before they are resolved`(location: String) {
        let situation = situation(302, .get, location: location)

        let decision = RedirectPolicy().decision(for: situation, resolving: { $0 })

        #expect(code(decision) == .redirectRefused)
    }

    @Test func `a redirect from https to http is refused`() {
        let situation = situation(302, .get, location: "http://example.com/")

        let decision = RedirectPolicy().decision(for: situation, resolving: resolver(situation))

        #expect(code(decision) == .redirectRefused)
    }

    @Test func `a redirect from https to http is followed if allowed`() throws {
        let situation = situation(302, .get, location: "http://example.com/")

        let decision = RedirectPolicy(allowsDowngrade: true).decision(for: situation, resolving: resolver(situation))

        #expect(try step(decision).url == "http://example.com/")
    }

    @Test(arguments: [(0, 0, false), (0, 1, true), (19, 20, true), (20, 20, false), (25, 20, false)])
    func `a redirect beyond the limit fails`(followed: Int, limit: Int, isAllowed: Bool) {
        var situation = situation(302, .get, location: "/next")
        situation.followed = followed

        let decision = RedirectPolicy(limit: limit).decision(for: situation, resolving: resolver(situation))

        #expect(code(decision) == (isAllowed ? nil : .redirectLimit))
    }

    @Test(arguments: [
        (307, "POST", true), (308, "PUT", true), (301, "PUT", true), (303, "POST", false), (302, "POST", false),
    ])
    func `a body that cannot be rewound fails only if it would be sent again`(
        status: Int, method: String, fails: Bool
    ) {
        var situation = situation(status, Method(method), location: "/next")
        situation.canRepeatBody = false

        let decision = RedirectPolicy().decision(for: situation, resolving: resolver(situation))

        #expect(code(decision) == (fails ? .redirectBody : nil))
    }

    @Test(arguments: [
        ("https://example.com/a", "/b", false), ("https://example.com/a", "https://example.com:443/b", false),
        ("https://example.com/a", "https://EXAMPLE.com/b", false), ("https://example.com/a", "//example.com/b", false),
        ("https://example.com/a", "https://example.com:8443/b", true),
        ("https://example.com/a", "https://www.example.com/b", true),
        ("http://example.com/a", "https://example.com/b", true),
        ("https://example.com/a", "//EXAMPLE.com.:443/b", false), ("https://example.com./a", "//example.com/b", false),
        ("http://[::1]:80/a", "http://[::1]/b", false), ("http://[::1]/a", "http://[::2]/b", true),
    ])
    func `another scheme, host or port is another origin`(url: String, location: String, leaves: Bool) throws {
        var situation = situation(302, .get, location: location)
        situation.url = url

        let step = try step(RedirectPolicy().decision(for: situation, resolving: resolver(situation)))

        #expect(step.leavesOrigin == leaves)
    }

    @Test(arguments: [
        ("https://example.com/a#part", "/b", "https://example.com/b#part"),
        ("https://example.com/a#part", "/b#other", "https://example.com/b#other"),
        ("https://example.com/a#part", "/b#", "https://example.com/b#"),
        ("https://example.com/a", "/b#other", "https://example.com/b#other"),
        ("https://example.com/a?x=1", "?y=2", "https://example.com/a?y=2"),
        ("https://example.com/a/b?x=1", "#part", "https://example.com/a/b?x=1#part"),
        ("https://example.com/a/b?x=1#old", "#new", "https://example.com/a/b?x=1#new"),
        ("https://u:p@example.com/a", "https://example.com/b", "https://u:p@example.com/b"),
        ("https://u:p@example.com/a", "https://v:q@example.com/b", "https://v:q@example.com/b"),
        ("https://u:p@example.com/a", "https://other.example/b", "https://other.example/b"),
    ])
    func `fragment and user are inherited within the rules`(url: String, location: String, next: String) throws {
        var situation = situation(302, .get, location: location)
        situation.url = url

        let step = try step(RedirectPolicy().decision(for: situation, resolving: resolver(situation)))

        #expect(step.url == next)
    }

    @Test(arguments: [
        (302, "ftp://user:secret@example.com/?secret", 0), (302, "http://example.com/?secret", 0),
        (302, "/?secret", 20),
        (307, "/?secret", 0),
    ])
    func `no error contains a user or a query`(status: Int, location: String, followed: Int) {
        var situation = situation(status, .post, location: location)
        situation.url = "https://user:secret@example.com/?secret"
        situation.followed = followed
        situation.canRepeatBody = false

        let decision = RedirectPolicy().decision(for: situation, resolving: resolver(situation))

        #expect(reason(decision).map { !$0.contains("secret") && !$0.contains("user") } == true)
    }

    @Test(arguments: [
        ("Content-Type", true), ("content-length", true), ("CONTENT-MD5", true), ("Transfer-Encoding", true),
        ("Last-Modified", true), ("Expect", true), ("Accept", false), ("Contents", false), ("X-Content-Type", false),
    ])
    func `fields that describe the content are removed with it`(name: String, goes: Bool) {
        #expect(RedirectPolicy.describesContent(name) == goes)
    }

    private func situation(_ status: Int, _ method: PlugboardMessages.Method, location: String?)
        -> RedirectPolicy.Situation
    {
        .init(
            status: status, method: method, url: "https://example.com/start",
            reference: location.flatMap { location in Array(location.utf8).withUnsafeBytes { Reference(location: $0) } }
        )
    }

    private func resolver(_ situation: RedirectPolicy.Situation) -> (String) -> String? {
        { URLParts.resolve($0, against: situation.url, normalizing: false) }
    }

    private func step(_ decision: RedirectPolicy.Decision) throws -> RedirectPolicy.Step {
        guard case .follow(let step) = decision else { throw Unexpected(decision: decision) }
        return step
    }

    private func code(_ decision: RedirectPolicy.Decision) -> PlugboardError.Code? {
        if case .fail(let error) = decision { error.code } else { nil }
    }

    private func reason(_ decision: RedirectPolicy.Decision) -> String? {
        if case .fail(let error) = decision { error.reason } else { nil }
    }

    private struct Unexpected: Error { let decision: RedirectPolicy.Decision }
}
