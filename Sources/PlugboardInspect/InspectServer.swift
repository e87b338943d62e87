import FlyingFox
import Foundation
import PlugboardInspectPage
import PlugboardJSON
import PlugboardMessages

/// The server of the page: on the loopback address, for browsers that know its token.
///
/// A page of another origin gets nothing of it: it does not know the token, and if its own name resolves to this
/// address (DNS rebinding), the field Host has that name. Requests that send something must also have the page's
/// origin.
struct InspectServer: HTTPHandler {
    private let source: any ExchangeSource
    private let document: [UInt8]
    /// What the path begins with: 32 hexadecimal digits.
    let token: String

    init(_ source: any ExchangeSource) {
        self.source = source
        document = InspectPage.live(sendsAgain: source.sendsAgain)
        var random = SystemRandomNumberGenerator()
        token = (0..<2).map { _ in
            let digits = String(random.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    func handleRequest(_ request: HTTPRequest) async -> HTTPResponse {
        guard isLoopback(request.headers[.host] ?? "") else {
            return text(.forbidden, "This server is reached by its address 127.0.0.1 only.")
        }
        // The raw path: the page's own addresses contain no percent-encoding.
        let parts = request.target.path().split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].isEmpty, isToken(parts[1]) else {
            return text(.forbidden, "The address lacks the token that plugboard inspect has printed.")
        }
        do throws(PlugboardError) {
            switch (request.method, parts[2]) {
            case (.GET, ""): return page
            case (.GET, "har"): return try await har(request)
            case (.POST, "send"): return try await send(request)
            case (_, ""), (_, "har"), (_, "send"): return text(.methodNotAllowed, "The method does not fit the path.")
            default: return text(.notFound, "There is no such part of the page.")
            }
        } catch {
            return text(.badRequest, error.reason)
        }
    }

    // MARK: Parts

    private var page: HTTPResponse {
        var fields = InspectServer.fields("text/html; charset=utf-8")
        fields[HTTPHeader("Content-Security-Policy")] = InspectPage.livePolicy + "; frame-ancestors 'none'"
        return HTTPResponse(statusCode: .ok, headers: fields, body: InspectServer.body(document))
    }

    private func har(_ request: HTTPRequest) async throws(PlugboardError) -> HTTPResponse {
        func number(_ name: String) -> Int? { request.query[name].flatMap { Int($0) }.map { min(max($0, 0), 1 << 53) } }
        let limit = min(max(number("limit") ?? 1000, 1), 10_000)
        let har = try await source.har(after: number("after") ?? 0, before: number("before"), limit: limit)
        return HTTPResponse(
            statusCode: .ok, headers: InspectServer.fields("application/json"), body: InspectServer.body(har))
    }

    private func send(_ request: HTTPRequest) async throws(PlugboardError) -> HTTPResponse {
        guard let host = request.headers[.host], request.headers[HTTPHeader("Origin")] == "http://\(host)" else {
            return text(.forbidden, "Only the page itself can send again.")
        }
        var bytes: [UInt8] = []
        do {
            for try await piece in request.bodySequence {
                bytes += piece
                if bytes.count > 1024 { return text(.payloadTooLarge, "The body is longer than 1024 bytes.") }
            }
        } catch {
            return text(.badRequest, "The body of the request is not complete.")
        }
        guard let id = (try? JSONParser.parse(bytes))?["id"]?.intValue, id > 0 else {
            return text(.badRequest, #"The body must be {"id": NUMBER}."#)
        }
        return text(.ok, try await source.sendAgain(Int(clamping: id)))
    }

    // MARK: Checks

    /// A port follows, or nothing.
    private func isLoopback(_ host: String) -> Bool {
        let name = host.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)[0]
        return name == "127.0.0.1" || name.lowercased() == "localhost"
    }

    /// Compares in a time that does not depend on how many digits are right.
    private func isToken(_ word: Substring) -> Bool {
        let given = Array(word.utf8)
        guard given.count == token.utf8.count else { return false }
        return zip(given, token.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    // MARK: Responses

    private func text(_ status: HTTPStatusCode, _ text: String) -> HTTPResponse {
        HTTPResponse(
            statusCode: status, headers: InspectServer.fields("text/plain; charset=utf-8"),
            body: InspectServer.body(Array("\(Printable.text(text))\n".utf8)))
    }

    private static func fields(_ type: String) -> HTTPHeaders {
        [
            .contentType: type, HTTPHeader("X-Content-Type-Options"): "nosniff", .cacheControl: "no-store",
            HTTPHeader("Referrer-Policy"): "no-referrer", HTTPHeader("Cross-Origin-Resource-Policy"): "same-origin",
        ]
    }

    private static func body(_ bytes: [UInt8]) -> HTTPBodySequence {
        HTTPBodySequence(data: Data(bytes), suggestedBufferSize: 1 << 18)
    }
}
