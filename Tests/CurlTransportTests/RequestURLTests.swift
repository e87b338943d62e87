import PlugboardTransport
import TestSupport
import Testing

@testable import PlugboardCurl

@Suite struct RequestURLTests {
    @Test(arguments: [
        ("", "is empty"), ("/path?secret", "no scheme"), ("ftp://host/?secret", "neither http nor https"),
        ("http://host:99999/?secret", "port"), ("http:///?secret", "no valid host"), ("http:/host/?secret", "no host"),
        ("http://ho st/?secret", "space"), ("http://host/\u{1}?secret", "control"), ("http://[::g]/?secret", "IPv6"),
        ("http://host/?secret\0", "control"), ("http://host/?secret\r\nX-A: b", "control"),
        ("file:///etc/?secret", "neither"),
    ])
    func `an invalid URL is refused, and the error does not quote it`(url: String, what: String) async throws {
        let client = Client()

        let outcome = try await client.send(.get, url)

        let error = try #require(outcome.error)
        #expect(error.code == .requestURL)
        #expect(error.reason.contains(what))
        #expect(!error.description.contains("secret"))
        #expect(outcome.record.notes as [AttemptRecord.Note] == [.ended(.requestURL)])
    }

    @Test(arguments: [
        ("/caf\u{e9}%20?q=\u{fc}", "/caf%C3%A9%20?q=%C3%BC"), ("/a b?b c", "/a%20b?b%20c"),
        ("/%c3%A4+?%2f=a+b", "/%c3%A4+?%2f=a+b"), ("/%?%zz", "/%?%zz"),
    ])
    func `spaces and bytes beyond ASCII are escaped in upper case, and escapes are sent as they are`(
        path: String, target: String
    ) async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse() }
        let client = Client()
        defer { server.stop() }

        _ = try await client.send(.get, server.url(path))

        #expect(server.requests.first?.target == target)
    }

    @Test(arguments: [
        ("", nil), ("@", nil), (":@", nil), ("u@", "Basic dTo="), (":p@", "Basic OnA="), ("u:p@", "Basic dTpw"),
    ])
    func `a user or a password in the URL becomes Basic, an empty pair does not`(
        userinfo: String, field: String?
    ) async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse() }
        let client = Client()
        defer { server.stop() }

        _ = try await client.send(.get, "http://\(userinfo)127.0.0.1:\(server.port)/")

        #expect(server.requests.first?["Authorization"] == field)
    }
}
