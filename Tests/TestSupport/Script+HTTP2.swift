/// A server of HTTP/2 without TLS, frame by frame (RFC 9113), for behaviour that real servers do not show on demand.
extension Script {
    /// A received frame.
    package struct Frame: Sendable {
        package var type: FrameType?
        package var stream: UInt32
        package var flags: UInt8
        /// END_STREAM, which DATA and HEADERS have (RFC 9113 §6.1, §6.2).
        package var endsStream: Bool { (type == .data || type == .headers) && flags & 1 != 0 }
        package var payload: [UInt8]
    }

    /// RFC 9113 §6.
    package enum FrameType: UInt8, Sendable {
        case data = 0, headers = 1, reset = 3, settings = 4, goAway = 7, windowUpdate = 8
    }

    /// Greets each connection, with these settings, and runs a script that reads and writes frames.
    package static func http2(
        settings: [(UInt16, UInt32)] = [], _ run: @escaping @Sendable (HTTP2Connection) throws -> Void
    ) -> Script {
        Script { connection in
            _ = try connection.readBytes(24)
            let connection = HTTP2Connection(connection)
            let payload = settings.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] + bigEndian($1) }
            try connection.write(.settings, payload: payload)
            try run(connection)
        }
    }

    package static func bigEndian(_ number: UInt32) -> [UInt8] {
        [UInt8(number >> 24), UInt8(number >> 16 & 0xFF), UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)]
    }
}

/// A connection of HTTP/2, as its script sees it.
package struct HTTP2Connection {
    package let connection: LoopbackServer.Connection

    init(_ connection: LoopbackServer.Connection) { self.connection = connection }

    /// Reads up to the head of the next request, and returns its stream. Settings are acknowledged on the way.
    package func readRequest() throws -> UInt32 {
        while true {
            let frame = try readFrame()
            if frame.type == .headers { return frame.stream }
        }
    }

    /// Reads so many bytes of request bodies.
    package func readData(_ count: Int) throws {
        var left = count
        while left > 0 {
            let frame = try readFrame()
            if frame.type == .data { left -= frame.payload.count }
        }
    }

    /// Reads up to the end of a request, and returns how many bytes its body had.
    package func readRequestEnd() throws -> Int {
        var count = 0
        while true {
            let frame = try readFrame()
            if frame.type == .data { count += frame.payload.count }
            if frame.endsStream { return count }
        }
    }

    package func readFrame() throws -> Script.Frame {
        let head = try connection.readBytes(9)
        let count = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
        let stream = head[5...8].reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let payload = try connection.readBytes(count)
        let frame = Script.Frame(
            type: Script.FrameType(rawValue: head[3]), stream: stream, flags: head[4], payload: payload)
        if frame.type == .settings, head[4] & 1 == 0 { try write(.settings, flags: 1) }
        return frame
    }

    package func write(_ type: Script.FrameType, flags: UInt8 = 0, stream: UInt32 = 0, payload: [UInt8] = []) throws {
        let count = payload.count
        try connection.write(
            [UInt8(count >> 16), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF), type.rawValue, flags]
                + Script.bigEndian(stream) + payload)
    }

    /// Sends a head with the status 200 and no fields, which ends the stream if there is no body.
    package func respond(to stream: UInt32, body: String = "") throws {
        // The static table's entry for ":status: 200" (RFC 7541, appendix A); END_HEADERS, END_STREAM.
        try write(.headers, flags: body.isEmpty ? 0x5 : 0x4, stream: stream, payload: [0x88])
        if !body.isEmpty { try write(.data, flags: 1, stream: stream, payload: Array(body.utf8)) }
    }

    /// Sends a head with a Content-Length, and as many bytes of a body: a whole response, whose stream has not ended.
    package func respond(to stream: UInt32, status: Int, counted body: String) throws {
        // Literals with names of the static table: ":status" and "content-length" (RFC 7541 §6.2.2, appendix A).
        let (status, length) = (Array("\(status)".utf8), Array("\(body.utf8.count)".utf8))
        let head = [0x08, UInt8(status.count)] + status + [0x0F, 0x0D, UInt8(length.count)] + length
        try write(.headers, flags: 0x4, stream: stream, payload: head)
        try write(.data, stream: stream, payload: Array(body.utf8))
    }

    /// Sends a trailer, which ends the stream.
    package func end(_ stream: UInt32, trailer name: String, _ value: String) throws {
        let field = [0, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)] + Array(value.utf8)
        try write(.headers, flags: 0x5, stream: stream, payload: field)
    }

    /// Ends the stream with an error code (RFC 9113 §7); 0 is NO_ERROR.
    package func reset(_ stream: UInt32, code: UInt32) throws {
        try write(.reset, stream: stream, payload: Script.bigEndian(code))
    }

    /// REFUSED_STREAM: it was not processed (RFC 9113 §8.7).
    package func refuse(_ stream: UInt32) throws {
        try reset(stream, code: 7)
    }

    /// The server goes away; streams above the last one were not processed (RFC 9113 §6.8).
    package func goAway(last stream: UInt32) throws {
        try write(.goAway, payload: Script.bigEndian(stream) + Script.bigEndian(0))
    }
}
