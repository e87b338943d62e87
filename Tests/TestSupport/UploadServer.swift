import Foundation
import Synchronization

/// A server of resumable uploads that keeps the bytes it receives, and breaks off as a test defines.
///
/// It accepts bytes only at their correct offset: complete content was sent without a gap and without a repetition.
package final class UploadServer: Sendable {
    package enum Dialect: String, Sendable, CaseIterable {
        /// draft-ietf-httpbis-resumable-upload-05.
        case draft
        /// tus 1.0.
        case tus
        /// No resumable uploads: each request with content is a whole upload.
        case none
    }

    private struct Resource {
        var bytes: [UInt8] = []
        var length: Int?
        var isComplete = false
        /// `Repr-Digest` of the creation.
        var digest: String?
        /// The number of its latest request.
        var turn = 0
    }

    private struct State {
        var plan: Plan
        var resources: [Resource?] = []
        var requestCount = 0
        var contentCount = 0
        var contents: [[UInt8]] = []
        var cancelled = 0
        var verified: [String] = []
    }

    private let state: StateBox
    private let server: LoopbackServer

    private final class StateBox: Sendable {
        let value: Mutex<State>
        init(_ state: State) { value = Mutex(state) }
    }

    package init(_ plan: Plan) throws {
        let state = StateBox(State(plan: plan))
        self.state = state
        server = try LoopbackServer { connection in
            do {
                while true { try UploadServer.serve(connection, state) }
            } catch ReceivedRequestError.closed {
            }
        }
    }

    package convenience init(_ dialect: Dialect) throws { try self.init(Plan(dialect)) }

    package func url(_ path: String = "/files") -> String { server.url(path) }
    /// The heads of all requests.
    package var requests: [ReceivedRequest] { server.requests }
    package var requestLines: [String] {
        requests.map { request in
            let offset = request["Upload-Offset"].map { " \($0)" } ?? ""
            return "\(request.method) \(request.target)\(offset)"
        }
    }
    /// Complete uploads, in the order of their ends.
    package var contents: [[UInt8]] { state.value.withLock { $0.contents } }
    /// The received bytes of incomplete uploads.
    package var partial: [[UInt8]] {
        state.value.withLock { $0.resources.compactMap { $0 }.filter { !$0.isComplete }.map(\.bytes) }
    }
    package var cancelledCount: Int { state.value.withLock { $0.cancelled } }
    /// The names of the fields whose digests were correct. Bytes with a wrong digest are refused.
    package var verified: [String] { state.value.withLock { $0.verified } }
    package func change(_ change: (inout Plan) -> Void) { state.value.withLock { change(&$0.plan) } }

    // MARK: One request

    private static func serve(_ connection: LoopbackServer.Connection, _ state: StateBox) throws {
        let request = try connection.readHead()
        let (plan, number) = state.value.withLock { state in
            state.requestCount += 1
            if state.plan.forgetsBefore.contains(state.requestCount) {
                for index in state.resources.indices { state.resources[index] = nil }
            }
            return (state.plan, state.requestCount)
        }
        if let response = plan.override?(number, request) {
            try connection.respond(response, to: request)
            // The content is not read.
            if request["Content-Length"].map({ $0 != "0" }) ?? (request["Transfer-Encoding"] != nil) {
                throw ReceivedRequestError.closed
            }
            return
        }
        let index = request.path.hasPrefix("/uploads/") ? Int(request.path.dropFirst(9)) : nil
        switch (request.method, plan.dialect) {
        case ("OPTIONS", .tus):
            let sums = plan.checksums.map { [("Tus-Checksum-Algorithm", $0)] } ?? []
            try respond(
                204,
                [("Tus-Resumable", "1.0.0"), ("Tus-Version", "1.0.0,0.2.2"), ("Tus-Extension", plan.extensions)] + sums)
        case ("OPTIONS", .draft) where plan.tellsLimits: try respond(204, [("Upload-Limit", "min-size=0")])
        case ("OPTIONS", _): try respond(405)
        case ("HEAD", .draft), ("HEAD", .tus):
            guard let resource = resource(index) else { return try respond(404) }
            var fields = [
                ("Upload-Offset", "\(resource.bytes.count + plan.exaggeration)"), ("Cache-Control", "no-store"),
            ]
            if plan.dialect == .draft { fields.append(("Upload-Complete", resource.isComplete ? "?1" : "?0")) }
            if plan.dialect == .tus {
                fields += [("Tus-Resumable", "1.0.0")]
                fields.append(resource.length.map { ("Upload-Length", "\($0)") } ?? ("Upload-Defer-Length", "1"))
            }
            try respond(plan.dialect == .tus ? 200 : 204, fields)
        case ("DELETE", .draft), ("DELETE", .tus):
            guard let index, resource(index) != nil else { return try respond(404) }
            state.value.withLock { state in
                state.resources[index] = nil
                state.cancelled += 1
            }
            try respond(204)
        case ("PATCH", .draft), ("PATCH", .tus):
            guard let index, let resource = resource(index) else { return try refuse(404) }
            let kind = plan.dialect == .tus ? "application/offset+octet-stream" : "application/partial-upload"
            guard request["Content-Type"] == kind else { return try refuse(415) }
            // Like other servers of tus: a known length must not be sent again.
            guard plan.dialect != .tus || resource.length == nil || request["Upload-Length"] == nil else {
                return try refuse(400)
            }
            guard request["Upload-Offset"] == "\(resource.bytes.count)", !resource.isComplete else {
                return try refuse(409)
            }
            try receive(into: index, isLast: plan.dialect == .tus ? nil : request["Upload-Complete"] == "?1")
        case ("POST", .tus):
            guard request["Tus-Resumable"] == "1.0.0" else { return try refuse(412) }
            let length = request["Upload-Length"].flatMap { Int($0) }
            guard length != nil || request["Upload-Defer-Length"] == "1" else { return try refuse(400) }
            let index = create(length)
            if request["Content-Type"] == "application/offset+octet-stream", request["Content-Length"] != "0" {
                return try receive(into: index, isLast: nil)
            }
            try respond(201, [("Location", location(index)), ("Tus-Resumable", "1.0.0")] + plan.creationFields)
        case (_, .draft) where request["Upload-Complete"] != nil:
            let index = create(nil)
            if plan.announces, request["Content-Length"] != "0" {
                try connection.write(
                    "HTTP/1.1 104 Upload Resumption Supported\r\nUpload-Draft-Interop-Version: \(plan.announcedVersion)\r\n"
                        + "Location: \(location(index))\r\n\r\n")
            }
            try receive(into: index, isLast: request["Upload-Complete"] == "?1")
        default:
            let index = create(nil)
            try receive(into: index, isLast: true)
        }

        func respond(_ status: Int, _ fields: [ServerResponse.Field] = []) throws {
            try connection.respond(ServerResponse(status: status, fields: fields), to: request)
        }
        func refuse(_ status: Int) throws {
            try respond(status)
            throw ReceivedRequestError.closed
        }
        // Like real servers, each request to an upload ends an earlier one that is still receiving: its client is gone,
        // and its bytes must not be added after the offset has been reported.
        func resource(_ index: Int?) -> Resource? {
            state.value.withLock { state in
                guard let index, state.resources.indices.contains(index) else { return nil }
                state.resources[index]?.turn += 1
                return state.resources[index]
            }
        }
        func create(_ length: Int?) -> Int {
            state.value.withLock { state in
                state.resources.append(Resource(length: length))
                return state.resources.count - 1
            }
        }
        func location(_ index: Int) -> String { "\(plan.base ?? "")/uploads/\(index)" }
        /// The status that refuses wrong bytes; nil if they are correct.
        func verify(_ request: ReceivedRequest, _ content: [UInt8], _ index: Int) -> Int? {
            state.value.withLock { state in
                let isWhole = request["Upload-Complete"] != "?0"
                var check = DigestCheck()
                let resource = state.resources[index]
                let status = check.status(
                    request, content, of: isWhole ? resource?.bytes : nil, announced: resource?.digest)
                state.verified += check.verified
                return status
            }
        }
        func receive(into index: Int, isLast: Bool?) throws {
            let (number, turn) = state.value.withLock { state in
                let turn = state.resources[index]?.turn
                guard request["Content-Length"] != "0" else { return (0, turn) }
                state.contentCount += 1
                return (state.contentCount, turn)
            }
            let cut = number >= 1 && number <= plan.cuts.count ? plan.cuts[number - 1] : nil
            if request["Expect"] != nil { try connection.write("HTTP/1.1 100 Continue\r\n\r\n") }
            guard let length = request["Content-Length"].flatMap({ Int($0) }) else { throw ReceivedRequestError.closed }
            var left = length
            var kept = 0
            var content: [UInt8] = []
            while left > 0 {
                let wanted = min(16_384, left, cut.map { $0 - kept } ?? .max)
                if wanted == 0 {
                    connection.reset()
                    throw ReceivedRequestError.closed
                }
                let piece = try connection.readBytes(wanted)
                content += piece
                let count = state.value.withLock { state -> Int? in
                    // A removed resource is noticed at the end.
                    guard state.resources[index]?.turn ?? turn == turn else { return nil }
                    state.resources[index]?.bytes += piece
                    return state.resources[index]?.bytes.count ?? 0
                }
                guard let count else { throw ReceivedRequestError.closed }
                left -= wanted
                kept += wanted
                if let stop = plan.stop, count >= stop.count {
                    stop.reached()
                    try connection.waitForClose()
                    throw ReceivedRequestError.closed
                }
                try plan.onPiece?(connection, count)
            }
            if request.method != "PATCH" {
                state.value.withLock { $0.resources[index]?.digest = request["Repr-Digest"] }
            }
            if let status = verify(request, content, index) {
                state.value.withLock { $0.resources[index]?.bytes.removeLast(content.count) }
                return try refuse(status)
            }
            let (resource, isWhole) = state.value.withLock { state in
                if plan.dialect == .tus, let length = request["Upload-Length"].flatMap({ Int($0) }) {
                    state.resources[index]?.length = length
                }
                let resource = state.resources[index] ?? Resource()
                let isWhole = isLast ?? (resource.bytes.count == resource.length)
                if isWhole, !resource.isComplete {
                    state.resources[index]?.isComplete = true
                    state.contents.append(resource.bytes)
                }
                return (resource, isWhole)
            }
            if plan.losesResponse.contains(number) {
                connection.reset()
                throw ReceivedRequestError.closed
            }
            var fields: [ServerResponse.Field] = []
            switch plan.dialect {
            case .none: break
            case .tus:
                fields = [("Tus-Resumable", "1.0.0"), ("Upload-Offset", "\(resource.bytes.count)")]
                if request.method == "POST" { fields += [("Location", location(index))] + plan.creationFields }
            case .draft:
                fields = [
                    ("Upload-Complete", isWhole ? "?1" : "?0"), ("Upload-Offset", "\(resource.bytes.count)"),
                    ("Upload-Draft-Interop-Version", "6"),
                ]
                if request.method != "PATCH" { fields += [("Location", location(index))] + plan.creationFields }
            }
            try respond(request.method == "PATCH" ? (plan.dialect == .tus ? 204 : 200) : 201, fields)
        }
    }
}
