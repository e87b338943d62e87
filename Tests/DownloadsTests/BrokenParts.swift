import TestSupport

/// A server that offers ranges, and sends the parts of a file in one of the ways that servers do.
enum BrokenParts: String, CaseIterable, CustomStringConvertible {
    case right, less, cut, cutAtOnce
    case otherTag, weakTag, noTag
    case partAsWhole, sameWhole, otherWhole, wholeWithoutTag
    case notFound, tooMany, unavailable, unsatisfiable
    case elsewhere, fromTheStart, tooLong, otherLength, noRange, otherUnit, severalParts, otherCoding
    case longerThanSaid, shorterThanSaid

    var description: String { rawValue }

    /// What a request without a range gets, but for the first.
    func current(_ content: [UInt8]) -> [UInt8] {
        switch self {
        case .otherTag, .otherWhole, .wholeWithoutTag: RangeServer.content(content.count, seed: 4)
        default: content
        }
    }

    /// The first response waits, with most of its bytes, for a request with a range.
    func server(_ content: [UInt8]) throws -> LoopbackServer {
        let gate = Gate()
        return try LoopbackServer { connection in
            let request = try connection.readRequest()
            if let (first, last) = RangeServer.range(of: request) {
                let reply = reply(content, first, min(last ?? content.count - 1, content.count - 1))
                gate.admit()
                return try RangeServer.send(reply, connection)
            }
            let isFirst = request.connection == 1
            let body = isFirst ? content : current(content)
            let fields = [
                ("ETag", body == content ? "\"a\"" : "\"b\""), ("Accept-Ranges", "bytes"),
                ("Content-Length", "\(body.count)"),
            ]
            try connection.write(Array(ServerResponse(status: 200, fields: fields, body: "").head.utf8) + body[..<1000])
            try connection.wait(for: gate)
            try connection.write(Array(body[1000...]))
        }
    }

    private func reply(_ content: [UInt8], _ first: Int, _ last: Int) -> RangeServer.Reply {
        func part(
            _ bytes: ArraySlice<UInt8>, tag: String? = "\"a\"", range: String? = nil, cut: Int? = nil
        ) -> RangeServer.Reply {
            let range = range ?? "bytes \(bytes.startIndex)-\(bytes.endIndex - 1)/\(content.count)"
            let fields = [("Content-Range", range)] + (tag.map { [("ETag", $0)] } ?? [])
            return .init(206, fields, Array(bytes), cut: cut)
        }
        let wanted = content[first...last]
        let new = current(content)
        switch self {
        case .right: return part(wanted)
        case .less: return part(wanted.prefix(max(wanted.count / 2, 1)))
        case .cut: return part(wanted, cut: (wanted.count + 1) / 2)
        case .cutAtOnce: return part(wanted, cut: 0)
        case .otherTag: return part(new[first...last], tag: "\"b\"")
        case .weakTag: return part(wanted, tag: "W/\"a\"")
        case .noTag: return part(wanted, tag: nil)
        case .partAsWhole:
            var reply = part(wanted)
            reply.status = 200
            return reply
        case .sameWhole: return .init(200, [("ETag", "\"a\"")], content)
        case .otherWhole: return .init(200, [("ETag", "\"b\"")], new)
        case .wholeWithoutTag: return .init(200, [], new)
        case .notFound: return .init(404)
        case .tooMany: return .init(429)
        case .unavailable: return .init(503)
        case .unsatisfiable: return .init(416, [("Content-Range", "bytes */\(content.count)")])
        case .elsewhere: return part(content[(first - 1)...last])
        case .fromTheStart: return part(content[...last])
        case .tooLong: return part(content[first...])
        case .otherLength: return part(wanted, range: "bytes \(first)-\(last)/\(content.count + 1)")
        case .noRange: return .init(206, [("ETag", "\"a\"")], Array(wanted))
        case .otherUnit: return part(wanted, range: "lines \(first)-\(last)/\(content.count)")
        case .severalParts:
            var reply = part(wanted)
            reply.fields.append(("Content-Type", "multipart/byteranges; boundary=x"))
            return reply
        case .otherCoding:
            var reply = part(wanted)
            reply.fields.append(("Content-Encoding", "gzip"))
            return reply
        case .longerThanSaid, .shorterThanSaid:
            var reply = part(wanted)
            reply.body = self == .longerThanSaid ? reply.body + [0, 0, 0] : Array(reply.body.dropLast(3))
            reply.isChunked = true
            return reply
        }
    }
}
