import Plugboard
import PlugboardKit

/// Which parts of request and response are printed, after HTTPie, and what prints the request and sends nothing.
extension OutputArguments {
    /// A part of request or response.
    enum Part: Character, CaseIterable {
        case requestHead = "H"
        case requestBody = "B"
        case responseHead = "h"
        case responseBody = "b"
    }

    /// The parts of `--print`; nil without it.
    var parts: Set<Part>? { print.map { Set($0.compactMap(Part.init)) } }

    /// Whether the request is printed for other programs.
    var isPrinted: Bool { printCurl || printDefinition != nil }

    /// Whether nothing is sent.
    var isDry: Bool { offline || isPrinted }

    /// Whether the request itself is printed.
    var showsRequest: Bool { offline || !(parts ?? []).isDisjoint(with: [.requestHead, .requestBody]) }

    /// The layout of JSON; nil without `--pretty`.
    var layout: JSONLayout? {
        pretty.map { JSONLayout(indents: ["all", "format"].contains($0), colours: ["all", "colors"].contains($0)) }
    }

    /// The request, with its body in memory if that is printed too: it can be read more than once.
    func held(_ request: Request) async throws -> Request {
        guard parts?.contains(.requestBody) ?? offline, let body = request.body else { return request }
        var request = request
        request.body = .bytes(try await body.collect(upTo: .mebibytes(256)))
        return request
    }

    /// Writes a request that a dry transport has not sent.
    func printDry(_ request: Request, _ exchange: ExchangeHandle, _ receiver: ResponseReceiver) async throws {
        do {
            let response = try await exchange.response
            response.body.source.release()
            throw CommandFailure(
                .usage, "Nothing would be sent: a plugin responds to the request, with status \(response.status).")
        } catch let error as PlugboardError where error.code == .requestDry && SentRequest.head(of: request) != nil {
            let parts = parts ?? [.requestHead, .requestBody]
            try await receiver.write(parts, of: request)
        }
    }
}

extension ResponseWriter {
    /// Writes the parts that are of the request.
    func write(_ parts: Set<OutputArguments.Part>, of request: Request) async throws {
        let head = parts.contains(.requestHead) ? SentRequest.head(of: request) : nil
        let copy = parts.contains(.requestBody) ? request.body?.source.copy() : nil
        let body = try await copy.map { Body($0) }?.collect(upTo: .mebibytes(256))
        try write(head, body, of: request.fields[.contentType])
    }
}
