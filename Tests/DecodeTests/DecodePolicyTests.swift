import PlugboardKit
import TestSupport
import Testing

@testable import DecodePlugin

struct DecodePolicyTests {
    @Test(arguments: [
        ("GET", false, false, true), ("POST", false, false, true), ("GET", true, false, false),
        ("GET", false, true, false), ("HEAD", false, false, false),
    ])
    func `codings are asked for when the caller leaves it to the plugin and wants the whole body`(
        method: String, hasAcceptEncoding: Bool, hasRange: Bool, asks: Bool
    ) {
        let answer = DecodePolicy.asks(
            method: Method(method), hasAcceptEncoding: hasAcceptEncoding, hasRange: hasRange)

        #expect(answer == asks)
    }

    @Test(arguments: [
        (["gzip"], [ContentCoding.gzip]), (["x-gzip"], [.gzip]), (["GZip"], [.gzip]),
        (["deflate, gzip"], [.gzip, .deflate]), (["deflate", "br"], [.br, .deflate]), ([" ,gzip\t,, "], [.gzip]),
        (["identity, zstd"], [.zstd]),
        (["gzip, gzip, gzip, gzip, gzip"], [.gzip, .gzip, .gzip, .gzip, .gzip]),
    ])
    func `the last coding that was applied is undone first`(fields: [String], codings: [ContentCoding]) {
        let answer = DecodePolicy.codings(status: 200, method: .get, contentEncoding: fields)

        #expect(answer == codings)
    }

    @Test(arguments: [
        [], [""], ["identity"], ["compress"], ["gzip, exi"], ["gzip br"], ["gzip, gzip, gzip, gzip, gzip, gzip"],
    ])
    func `a body passes as it is when its codings are none, unknown or too many`(fields: [String]) {
        let answer = DecodePolicy.codings(status: 200, method: .get, contentEncoding: fields)

        #expect(answer == nil)
    }

    @Test(arguments: [(204, "GET"), (206, "GET"), (304, "GET"), (200, "HEAD"), (103, "GET")])
    func `what is no whole body passes as it is`(status: Int, method: String) {
        let answer = DecodePolicy.codings(status: status, method: Method(method), contentEncoding: ["gzip"])

        #expect(answer == nil)
    }

    @Test(arguments: [200, 201, 301, 404, 500])
    func `any other status is decoded`(status: Int) {
        let answer = DecodePolicy.codings(status: status, method: .post, contentEncoding: ["br"])

        #expect(answer == [.br])
    }

    @Test(arguments: nastyShapes.indices)
    func `codings of any shape are read in linear time`(shape: Int) {
        let (kind, make) = nastyShapes[shape]
        expectLinearTime(kind, size: 4000, input: make) { text in
            _ = DecodePolicy.codings(status: 200, method: .get, contentEncoding: [text, text])
        }
    }
}
