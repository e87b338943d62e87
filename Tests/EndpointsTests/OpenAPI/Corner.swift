import Foundation
import PlugboardEndpoints
import PlugboardJSON
import TestSupport
import Testing

/// The OpenAPI document `Tests/Fixtures/OpenAPI/corner.json`, and what a call of each of its 100 operations sends.
///
/// The calls were written by another program, by the standards, so that they are a second opinion.
enum Corner {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Fixtures/OpenAPI")

    static let path = folder.appending(path: "corner.json").standardizedFileURL.path

    static var text: String { get throws { try String(contentsOfFile: path, encoding: .utf8) } }

    struct Call: Sendable, CustomTestStringConvertible {
        let name: String
        let value: JSONValue
        var parameters: JSONObject { value["parameters"]?.objectValue ?? [:] }
        var method: String { value["method"]?.stringValue ?? "" }
        var target: String { value["target"]?.stringValue ?? "" }
        var status: Int { value["status"]?.intValue.map { Int($0) } ?? 0 }
        var shape: String? { value["shape"]?.stringValue }
        var headers: JSONObject { value["headers"]?.objectValue ?? [:] }
        var contentType: String? { value["contentType"]?.stringValue }
        var body: JSONValue? { value["body"] }
        var parts: [[String]]? { value["parts"]?.arrayValue?.map { $0.arrayValue?.compactMap(\.stringValue) ?? [] } }
        var testDescription: String { name }

        /// What the server responds with.
        var response: ServerResponse {
            switch shape {
            case nil: ServerResponse(status: status)
            case "list": ServerResponse(status: status, fields: Call.json, body: #"[{"id": 1}]"#)
            case "object": ServerResponse(status: status, fields: Call.json, body: #"{"id": 1}"#)
            default: ServerResponse(status: status, fields: [("Content-Type", "text/plain")], body: "raw")
            }
        }

        private static let json = [(name: "Content-Type", value: "application/json")]

        /// What is wrong with a request that was received for this call.
        func errors(in request: ReceivedRequest) -> [String] {
            var errors: [String] = []
            func expect(_ what: String, _ got: String?, _ wanted: String?) {
                if got != wanted { errors.append("\(what): \(got ?? "none") instead of \(wanted ?? "none")") }
            }
            expect("method", request.method, method)
            expect("target", request.target, target)
            for (name, value) in headers { expect(name, request[name], value.stringValue) }
            if headers["X-Admin-Key"] == nil { expect("X-Admin-Key", request["X-Admin-Key"], nil) }
            let type = request["Content-Type"]
            if let parts {
                let boundary = type?.components(separatedBy: "boundary=").last
                let received = Call.parts(request.text, boundary ?? "")
                expect("parts", "\(received)", "\(parts)")
            } else if let contentType {
                expect("Content-Type", type, contentType)
                if contentType.hasSuffix("json") {
                    expect("body", (try? JSONParser.parse(request.text))?.description, body?.description)
                } else {
                    expect("body", request.text, body?.stringValue)
                }
            } else if let body {
                expect("Content-Type", type, "application/json")
                if (try? JSONParser.parse(request.text)) != body { expect("body", request.text, body.description) }
            } else {
                expect("body", request.text, "")
            }
            return errors
        }

        private static func parts(_ text: String, _ boundary: String) -> [[String]] {
            text.components(separatedBy: "--\(boundary)").dropFirst().dropLast().map { part in
                let halves = part.components(separatedBy: "\r\n\r\n")
                let name = halves[0].components(separatedBy: "name=\"").last?.prefix { $0 != "\"" } ?? ""
                return [String(name), String(halves.dropFirst().joined(separator: "\r\n\r\n").dropLast(1))]
            }
        }
    }

    static let calls: [Call] = {
        guard let text = try? String(contentsOf: folder.appending(path: "corner.calls.json"), encoding: .utf8),
            let calls = try? JSONParser.parse(text).arrayValue
        else { return [] }
        return calls.map { Call(name: $0["name"]?.stringValue ?? "", value: $0) }
    }()

    /// A server that responds to each call of the list as the document says, and with 404 to anything else.
    static func server() throws -> LoopbackServer {
        try LoopbackServer.responding { request in
            let call = calls.first { $0.method == request.method && $0.target == request.target }
            return call?.response ?? ServerResponse(status: 404)
        }
    }
}
