import PlugboardTransport
import TestSupport
import Testing

@testable import PlugboardCurl

/// Pins, cookies and credentials are chosen by `Origin`; libcurl must connect to the same host and port.
struct URLHandleTests {
    @Test(arguments: [
        ("http://A.Test/", "A.Test:80", "http://a.test"), ("https://a.test.:443/x", "a.test.:443", "https://a.test"),
        ("http://0x7f.1/", "127.0.0.1:80", "http://127.0.0.1"),
        ("http://2130706433/", "127.0.0.1:80", "http://127.0.0.1"),
        ("http://010.0.0.1/", "8.0.0.1:80", "http://8.0.0.1"), ("http://1.2.3/", "1.2.0.3:80", "http://1.2.0.3"),
        ("http://0xBEEF:81/", "0.0.190.239:81", "http://0.0.190.239:81"),
        ("http://[FE80:0::1]/", "[fe80::1]:80", "http://[fe80::1]"),
        ("http://[fe80::1%25eth0]/", "[fe80::1]:80", "http://[fe80::1%25eth0]"),
        ("http://[::ffff:1.2.3.4]/", "[::ffff:1.2.3.4]:80", "http://[::ffff:1.2.3.4]"),
        ("http://a.test:000080/", "a.test:80", "http://a.test"), ("http://a.test:/", "a.test:80", "http://a.test"),
        ("http://u:p:q@b.test/", "b.test:80", "http://b.test"), (#"http://u\@b.test/"#, "b.test:80", "http://b.test"),
        ("http://a.test?@b.test/", "a.test:80", "http://a.test"),
        ("http://a.test#@b.test/", "a.test:80", "http://a.test"),
        ("http://a.test:80@b.test/", "b.test:80", "http://b.test"),
        ("http://a_b.test/", "a_b.test:80", "http://a_b.test"),
        ("http://xn--bcher-kva.test/", "xn--bcher-kva.test:80", "http://xn--bcher-kva.test"),
        ("http://1e3.test/", "1e3.test:80", "http://1e3.test"),
    ])
    func `libcurl reads the host and port that Origin reads`(
        url: String, hostAndPort: String, origin: String
    ) throws {
        #expect(try URLHandle(url).hostAndPort == hostAndPort)
        #expect(Origin(url: url)?.description == origin)
    }

    /// Newer versions of libcurl leave its conversion to the system.
    @Test func `an address with a capital X has the same origin in both forms that libcurl may keep`() throws {
        let url = "http://0XBEEF:81/"
        let hostAndPort = try URLHandle(url).hostAndPort

        #expect(["0XBEEF:81", "0.0.190.239:81"].contains(hostAndPort))
        #expect(Origin(url: url)?.description == "http://0.0.190.239:81")
    }

    /// Hosts that only one of the two accepts, or that they read differently.
    @Test(arguments: [
        "http://a@b@c.test/", "http://4294967296/", "http://127.0.0.1./", "http://1.2.3.4.5/", "http://08/",
        "http://0x/",
        "http://1.2.3.256/", "http://a..test/", "http://a.test../", "http://./", "http://%6Cocalhost/",
        "http://[fe80::1%eth0]/", "http://a.test:0/", "http://a|b/", "http://a~b/", "http://b\u{fc}cher.test/",
        #"http://a.test\b/"#, "http:/a.test/", "http:///a.test/", "http:a.test", "http://[::1]x/", "http://a;b/",
        "http://a.1/", "http://[::1]:80x/", "http://a.test:65536/", "//a.test/", "ftp://a.test/",
    ])
    func `a host that could be read in two ways is refused`(url: String) {
        let error = #expect(throws: PlugboardError.self) { try URLHandle(url) }

        #expect(error?.code == .requestURL)
    }

    @Test func `a host that is not ASCII is refused with the form to write`() {
        let error = #expect(throws: PlugboardError.self) { try URLHandle("http://b\u{fc}cher.test/") }

        #expect(error?.reason.contains("xn--") == true)
        #expect(error?.reason.contains("\u{fc}") == false)
    }

    @Test func `control characters that libcurl quotes from a server are escaped`() {
        let error = PlugboardError(
            curl: .init(60), message: "certificate of \u{1B}[2Jevil\u{202E}", hostAndPort: "a.test:443",
            isHeadThere: false,
            isUnsent: true)

        #expect(error.underlying?.contains("\u{1B}") == false)
        #expect(error.underlying?.contains(#"\u{1B}[2Jevil\u{202E}"#) == true)
    }

    @Test(arguments: nastyShapes.indices)
    func `a head with text of any shape is read in linear time`(shape: Int) {
        let (kind, make) = nastyShapes[shape]
        let places: [(name: String, lines: @Sendable (String) -> [String])] = [
            ("status line", { ["HTTP/1.1 200 \($0)", ""] }), ("first line", { [$0, ""] }),
            ("field", { ["HTTP/1.1 200 OK", "X-Name: \($0)", ""] }),
            ("name", { ["HTTP/1.1 200 OK", "\($0): value", ""] }),
            ("line", { ["HTTP/1.1 200 OK", $0, ""] }),
            ("Content-Length", { ["HTTP/1.1 200 OK", "Content-Length: \($0)", ""] }),
            ("Content-Length after one", { ["HTTP/1.1 200 OK", "Content-Length: 1", "Content-Length: \($0)", ""] }),
            ("Transfer-Encoding", { ["HTTP/1.1 200 OK", "Transfer-Encoding: \($0)", ""] }),
            ("Set-Cookie", { ["HTTP/1.1 200 OK", "Set-Cookie: \($0)", ""] }),
            ("interim heads", { ["HTTP/1.1 103 Early", "Link: \($0)", "", "HTTP/1.1 200 OK", ""] }),
            ("trailer", { ["HTTP/1.1 200 OK", "", "X-Name: \($0)", ""] }),
        ]
        for place in places {
            expectLinearTime("\(place.name) of \(kind)", size: 4000) { size in
                place.lines(make(size)).map { Array("\($0)\r\n".utf8) }
            } read: {
                readHead($0)
            }
        }
        expectLinearTime("fields of \(kind)", size: 500) { count in
            (["HTTP/1.1 200 OK"] + (0..<count).map { "Content-Length\($0): \(make(16))" }
                + ["Content-Length: 1", "Transfer-Encoding: chunked", ""]).map { Array("\($0)\r\n".utf8) }
        } read: {
            readHead($0)
        }
    }

    @Test(arguments: ["Content-Length: 7", "Transfer-Encoding: chunked", "Set-Cookie: a=b", "X: y"])
    func `a head with one field many times is read in linear time`(field: String) {
        expectLinearTime(field, size: 1000) { count in
            (["HTTP/1.1 200 OK"] + Array(repeating: field, count: count) + ["Content-Length: 7", ""])
                .map { Array("\($0)\r\n".utf8) }
        } read: {
            readHead($0)
        }
    }

    private func readHead(_ lines: [[UInt8]]) {
        var reader = HeadReader(byteLimit: 1 << 22, fieldLimit: 16_384)
        defer { reader.deallocate() }
        for line in lines { _ = line.withUnsafeBytes { reader.read($0) } }
        _ = reader.takeHead()
        _ = reader.takeTrailers()
    }

    @Test func `a head is read in linear time, its folded lines too`() {
        expectLinearTime("folded lines", size: 1000) { count in
            let line = [UInt8]("X-Name: value\r\n".utf8)
            return (0..<count).map { _ in line } + (0..<100).map { _ in [UInt8](" more\r\n".utf8) }
        } read: { lines in
            var reader = HeadReader(byteLimit: 1 << 20, fieldLimit: 16_384)
            defer { reader.deallocate() }
            for line in [[UInt8]("HTTP/1.1 200 OK\r\n".utf8)] + lines {
                _ = line.withUnsafeBytes { reader.read($0) }
            }
        }
    }
}
