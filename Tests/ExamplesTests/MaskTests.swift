import CPlugboard
import Foundation
import PlugboardJSON
import PlugboardKit
import PlugboardTesting
import PluginLoader
import TestSupport
import Testing

@testable import ExampleCookbook

/// What the plugin `mask` of the cookbook does to bodies, in each language that it is written in.
struct MaskTests {
    private let url = "https://api.test/users"
    private let json: Fields = ["Content-Type": "application/json; charset=utf-8"]

    private static let rows: [(json: String, masked: String)] = [
        (#"{"name":"a","password":"b"}"#, #"{"name":"a","password":"***"}"#),
        (#"{ "password" :\#n 12.5e3 , "x": 1 }"#, #"{ "password" :\#n "***", "x": 1 }"#),
        (#"{"password":{"a":["}",{"\"]":1}]},"b":null}"#, #"{"password":"***","b":null}"#),
        (#"{"pass\u0077ord":true,"key\/id":[1,2]}"#, #"{"pass\u0077ord":"***","key\/id":"***"}"#),
        (#"["password","password",{"a":"password"}]"#, #"["password","password",{"a":"password"}]"#),
        (
            #"{"passwords":1,"passwor":2,"password\u0000":3,"p":"\\"}"#,
            #"{"passwords":1,"passwor":2,"password\u0000":3,"p":"\\"}"#
        ),
        (#"{"a":"{\"password\":1}","password":"\\\""}"#, #"{"a":"{\"password\":1}","password":"***"}"#),
        (#"{"ä":"€","password":"€"}"#, #"{"ä":"€","password":"***"}"#), ("", ""), ("17", "17"),
    ]

    @Test(arguments: CookbookLanguage.available)
    func `a transformer masks members whatever the pieces' sizes, in responses and requests`(
        language: CookbookLanguage
    ) async throws {
        let json = json
        for size in [1, 2, 3, 7, 4096] {
            for later in [false, true] {
                let bench = try await bench(language) { sent, _ in
                    let body = sent.body ?? .empty
                    return .respond(200, json, body: .pieces(of: size, body, later: later))
                }
                for row in MaskTests.rows {
                    let masked = try await bench.send(
                        Request(.post, url, fields: json, body: .pieces(of: size, Bytes(row.json), later: later)))
                    #expect(try await masked.body.text() == row.masked, "\(size)")
                }
                #expect(bench.transport.requests.map { $0.body?.text } == MaskTests.rows.map(\.masked), "\(size)")
            }
        }
    }

    @Test(arguments: CookbookLanguage.available)
    func `a body whose length may change has no length any more, and others keep theirs`(
        language: CookbookLanguage
    ) async throws {
        let bench = try await bench(language) { sent, _ in
            let type = sent.url.hasSuffix("/text") ? "text/plain" : "application/json"
            return .respond(200, ["Content-Type": type, "Content-Length": "2"], body: .text("{}"))
        }

        let changed = try await bench.send(Request(.get, url))
        let other = try await bench.send(Request(.get, "\(url)/text"))
        let empty = try await bench.send(Request(.head, url))

        #expect(changed["Content-Length"] == nil && changed.body.length == nil)
        #expect(other["Content-Length"] == "2" && other.body.length == 2)
        #expect(empty["Content-Length"] == "2")
    }

    @Test(arguments: CookbookLanguage.available)
    func `a transformer that refuses the end breaks the body off with its own code`(
        language: CookbookLanguage
    ) async throws {
        let json = json
        let bench = try await bench(language) { _, _ in .respond(200, json, body: .text(#"{"a":1,"password":"x"#)) }

        let body = try await bench.send(Request(.get, url)).body
        let error = await #expect(throws: PlugboardError.self) { try await body.text() }

        #expect(error?.code == "com.example.mask.cut")
        #expect(error?.reason == "The JSON ended within a string or a member.")
    }

    @Test(arguments: CookbookLanguage.available)
    func `a body that breaks off inside breaks off outside, with trailers a body that ends ends`(
        language: CookbookLanguage
    ) async throws {
        let json = json
        let bench = try await bench(language) { sent, _ in
            let ending: Piece =
                sent.method == .get
                ? .broken(PlugboardError(.transportReset, "reset")) : .end(trailers: ["X-Sum": "7", "X-Note": ""])
            return .respond(200, json, body: Body(PiecesSource([#"{"password":"#, "1", "}"], ending: ending)))
        }

        let broken = try await bench.send(Request(.get, url)).body
        let error = await #expect(throws: PlugboardError.self) { try await broken.text() }
        var iterator = try await bench.send(Request(.post, url)).body.makeAsyncIterator()
        var text = ""
        while let piece = try await iterator.next() { text += piece.text }

        #expect(error?.code == .transportReset)
        #expect(text == #"{"password":"***"}"#)
        #expect(iterator.trailers["X-Sum"] == "7" && iterator.trailers["X-Note"] == "")
    }

    @Test(arguments: CookbookLanguage.available)
    func `a request's body that is sent again is masked from its beginning`(language: CookbookLanguage) async throws {
        let mirrors = Mirrors.descriptor
        let bench = try await bench(language, beside: [mirrors]) { sent, _ in
            sent.url.hasPrefix("https://b.test") ? .respond(200) : .fail(PlugboardError(.transportConnect, "refused"))
        }
        let body = #"{"password":"secret","n":1}"#

        let response = try await bench.send(
            Request(.put, url, fields: json, body: .pieces(of: 5, Bytes(body), later: false)))

        #expect(response.attempts == 2)
        #expect(
            bench.transport.requests.map { $0.body?.text } == Array(repeating: #"{"password":"***","n":1}"#, count: 2))
    }

    @Test(arguments: CookbookLanguage.available)
    func `a body that is dropped half way, or while it waits, leaves nothing behind`(
        language: CookbookLanguage
    ) async throws {
        let json = json
        let bench = try await bench(language) { sent, _ in
            let pieces: any BodySource = sent.method == .get ? SilentSource() : PiecesSource(["{", "}", " "])
            return .respond(200, json, body: Body(pieces))
        }

        for method in [PlugboardMessages.Method.get, .post] {
            let handle = bench.begin(Request(method, url))
            var iterator: Body.Iterator? = try await handle.response.body.makeAsyncIterator()
            if method == .post { #expect(try await iterator?.next() != nil) }
            iterator = nil
            handle.cancel()
        }
        await bench.kernel.shutDown()
    }

    @Test(arguments: CookbookLanguage.available)
    func `many pieces of nothing but what is left out pile up no calls, in linear time`(
        language: CookbookLanguage
    ) async throws {
        let json = json
        let long = String(repeating: "x", count: 200_000)
        let bench = try await bench(language) { _, _ in
            .respond(200, json, body: .pieces(of: 1, Bytes("{\"password\":\"\(long)\"}"), later: false))
        }

        let text = try await bench.send(Request(.get, url)).body.text()

        #expect(text == #"{"password":"***"}"#)
    }

    @Test(arguments: CookbookLanguage.available)
    func `JSON that is compressed is refused, for it cannot be masked`(language: CookbookLanguage) async throws {
        let bench = try await bench(language) { _, _ in
            .respond(200, ["Content-Type": "application/vnd.a+json", "Content-Encoding": "zstd"], body: .text("?"))
        }

        let error = await #expect(throws: PlugboardError.self) { try await bench.send(Request(.get, url)) }

        #expect(error?.code == "com.example.mask.encoded")
    }

    private func bench(
        _ language: CookbookLanguage, beside others: [UnsafePointer<plug_plugin_v1>] = [],
        _ script: @escaping ScriptedTransport.Script
    ) async throws -> Workbench {
        let settings: JSONObject = ["names": ["password", "key/id"]]
        let configure = { (configuration: inout Configuration) in
            for index in configuration.plugins.indices where configuration.plugins[index].id == "com.example.mirrors" {
                configuration.plugins[index].settings = ["origins": ["https://b.test"]]
            }
        }
        let transport = ScriptedTransport(script)
        guard language != .swift else {
            return try Workbench(
                MaskedMembers.self, settings: settings, transport: transport, beside: others, configure)
        }
        return try Workbench(
            file: try await CookbookLibraries.shared.library("mask", language), loader: .dynamic, settings: settings,
            transport: transport, beside: others, configure)
    }
}

/// Completes no pull.
private final class SilentSource: BodySource {
    var length: Int? { nil }
    func pull(_ pull: Pull) {}
}
