extension Script {
    /// Sends field lines endlessly until the client disconnects.
    package static func endlessHead() -> Script {
        let lines = String(repeating: "X-Endless: \(String(repeating: "x", count: 100))\r\n", count: 100)
        return Script { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\n")
            while true { try connection.write(lines) }
        }
    }

    /// Sends one field with an endless value until the client disconnects.
    package static func endlessField() -> Script {
        let piece = String(repeating: "x", count: 16_384)
        return Script { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\nX-Endless: ")
            while true { try connection.write(piece) }
        }
    }

    /// Responds with the fields `X-0: 0`, `X-1: 1` and so on, and the body "many".
    package static func manyFields(_ count: Int = 10_000) -> Script {
        responding { _ in
            ServerResponse(fields: (0..<count).map { ("X-\($0)", "\($0)") }, body: "many")
        }
    }

    /// Sends interim heads (1xx, RFC 9110 §15.2), then the response. Each head waits for the gate, if there is one.
    package static func interim(_ heads: [ServerResponse], then response: ServerResponse, gate: Gate? = nil) -> Script {
        Script { connection in
            let request = try connection.readRequest()
            for (index, head) in heads.enumerated() {
                if let gate { try connection.wait(for: gate, count: index + 1) }
                try connection.respond(head, to: request)
            }
            if let gate { try connection.wait(for: gate, count: heads.count + 1) }
            try connection.respond(response, to: request)
        }
    }

    /// Sends a head whose field lines are these bytes, each ended with CRLF, and an empty body.
    package static func rawFields(_ lines: [[UInt8]]) -> Script {
        let fields = lines.map { $0 + [13, 10] }.joined()
        return raw(Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n".utf8) + fields + [13, 10])
    }

    /// Sends the field `X-Latin: café` with é as the single byte E9.
    package static func latin1Field() -> Script { rawFields([[UInt8](latin1: "X-Latin: caf\u{e9}")]) }

    /// Sends the field `X-UTF8: café – 咖啡` in UTF-8.
    package static func utf8Field() -> Script { rawFields([Array("X-UTF8: café – 咖啡".utf8)]) }

    /// Sends a response that violates RFC 9110 or 9112.
    package static func malformed(_ response: MalformedResponse) -> Script { raw(response.bytes) }
}
