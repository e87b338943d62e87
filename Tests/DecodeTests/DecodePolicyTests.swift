import PlugboardKit
import TestSupport
import Testing

@testable import PlugboardDecode

struct DecodePolicyTests {
    @Test(arguments: [
        ("GET", false, false, true), ("POST", false, false, true), ("GET", true, false, false),
        ("GET", false, true, false), ("HEAD", false, false, false),
    ])
    func `codings are requested unless the caller sets Accept-Encoding or a range, or uses HEAD`(
        method: String, hasAcceptEncoding: Bool, hasRange: Bool, asks: Bool
    ) {
        let result = DecodePolicy.asks(
            method: Method(method), hasAcceptEncoding: hasAcceptEncoding, hasRange: hasRange)

        #expect(result == asks)
    }

    @Test(arguments: [
        (["gzip"], [ContentCoding.gzip]), (["x-gzip"], [.gzip]), (["GZip"], [.gzip]),
        (["deflate, gzip"], [.gzip, .deflate]), (["deflate", "br"], [.br, .deflate]), ([" ,gzip\t,, "], [.gzip]),
        (["identity, zstd"], [.zstd]),
        (["gzip, gzip, gzip, gzip, gzip"], [.gzip, .gzip, .gzip, .gzip, .gzip]),
        (["identity, identity, identity, identity, identity, br"], [.br]),
    ])
    func `the last applied coding is decoded first`(fields: [String], codings: [ContentCoding]) throws {
        let result = try DecodePolicy.codings(status: 200, method: .get, contentEncoding: fields)

        #expect(result == codings)
    }

    @Test(arguments: [
        [], [""], ["identity"], ["compress"], ["gzip, exi"], ["gzip br"],
        ["gzip, gzip, gzip, gzip, gzip, gzip, exi"],
    ])
    func `a body without codings or with unknown ones is not decoded`(fields: [String]) throws {
        let result = try DecodePolicy.codings(status: 200, method: .get, contentEncoding: fields)

        #expect(result == nil)
    }

    @Test func `a response with too many codings fails`() {
        let error = #expect(throws: PlugboardError.self) {
            try DecodePolicy.codings(
                status: 200, method: .get, contentEncoding: ["gzip, gzip, gzip", "gzip, gzip, gzip"])
        }

        #expect(error?.code == .bodyDecode && error?.reason.contains("6 content codings") == true)
    }

    @Test(arguments: [(204, "GET"), (206, "GET"), (304, "GET"), (200, "HEAD"), (103, "GET")])
    func `a partial or missing body is not decoded`(status: Int, method: String) throws {
        let result = try DecodePolicy.codings(status: status, method: Method(method), contentEncoding: ["gzip"])

        #expect(result == nil)
    }

    @Test(arguments: [200, 201, 301, 404, 500])
    func `a body of any other status is decoded`(status: Int) throws {
        let result = try DecodePolicy.codings(status: status, method: .post, contentEncoding: ["br"])

        #expect(result == [.br])
    }

    @Test(arguments: nastyShapes.indices)
    func `codings of any shape are parsed in linear time`(shape: Int) {
        let (kind, make) = nastyShapes[shape]
        expectLinearTime(kind, size: 4000, input: make) { text in
            _ = try? DecodePolicy.codings(status: 200, method: .get, contentEncoding: [text, text])
        }
    }
}
