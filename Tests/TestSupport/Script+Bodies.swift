extension Script {
    /// Sends `Content-Length: declared` and `sent` bytes of the body, and closes (RFC 9112 §8: incomplete).
    package static func bodyCutShort(declared: Int, sent: Int, fields: [ServerResponse.Field] = []) -> Script {
        raw(partialBody(declared: declared, sent: sent, fields: fields))
    }

    /// Sends `Content-Length: declared` and `sent` bytes of the body, and resets the connection.
    ///
    /// The reset waits for the gate, if there is one, so that a test can make sure that the client has read the bytes.
    package static func resetInBody(
        declared: Int, sent: Int, fields: [ServerResponse.Field] = [], gate: Gate? = nil
    ) -> Script {
        Script { connection in
            _ = try connection.readRequest()
            try connection.write(partialBody(declared: declared, sent: sent, fields: fields))
            if let gate { try connection.wait(for: gate) }
            connection.reset()
        }
    }

    /// Sends `Content-Length: declared` and `sent` bytes of the body, and then nothing until the client disconnects.
    package static func silenceInBody(declared: Int, sent: Int, fields: [ServerResponse.Field] = []) -> Script {
        Script { connection in
            _ = try connection.readRequest()
            try connection.write(partialBody(declared: declared, sent: sent, fields: fields))
            try connection.waitForClose()
        }
    }

    /// Sends more bytes than its Content-Length says, on a connection that stays open.
    package static func bodyTooLong(declared: Int, sent: Int) -> Script {
        Script { connection in
            _ = try connection.readRequest()
            try connection.write(partialBody(declared: declared, sent: sent, fields: []))
            try connection.waitForClose()
        }
    }

    /// Sends a body without any length, which ends with the connection (RFC 9112 §6.3, rule 8).
    package static func bodyUntilClose(_ body: String) -> Script {
        raw("HTTP/1.1 200 OK\r\n\r\n" + body)
    }

    /// Sends the chunks, but not the last one, and closes.
    ///
    /// With `insideChunk`, the connection ends within another chunk instead of after a whole one.
    package static func chunkedCutShort(_ chunks: [String], insideChunk: Bool = false) -> Script {
        raw(chunkedHead + chunks.map(chunk).joined() + (insideChunk ? "40\r\nonly a part" : ""))
    }

    /// Sends the chunks, the last one, and the trailers (RFC 9112 §7.1.2), on a connection that stays open.
    package static func chunked(_ chunks: [String], trailers: [ServerResponse.Field] = []) -> Script {
        let trailerLines = trailers.map { "\($0.name): \($0.value)\r\n" }.joined()
        return Script { connection in
            while let _ = try? connection.readRequest() {
                try connection.write(chunkedHead + chunks.map(chunk).joined() + "0\r\n\(trailerLines)\r\n")
            }
        }
    }

    /// Sends one chunk for each admission of the gate, and the end after the last chunk.
    package static func chunked(_ chunks: [String], gate: Gate) -> Script {
        Script { connection in
            _ = try connection.readRequest()
            try connection.write(chunkedHead)
            for (index, text) in chunks.enumerated() {
                try connection.wait(for: gate, count: index + 1)
                try connection.write(chunk(text))
            }
            try connection.write("0\r\n\r\n")
        }
    }

    /// Sends `size` as the size of a chunk, instead of a hexadecimal number (RFC 9112 §7.1).
    package static func chunkSize(_ size: String) -> Script {
        raw(chunkedHead + "\(size)\r\nsome bytes\r\n0\r\n\r\n")
    }

    /// Sends the response byte by byte, one for each admission of the gate; an open gate admits the rest.
    package static func dribbled(_ response: ServerResponse, gate: Gate) -> Script {
        Script { connection in
            let request = try connection.readRequest()
            for (index, byte) in response.bytes(for: request.method).enumerated() {
                try connection.wait(for: gate, count: index + 1)
                try connection.write([byte])
            }
        }
    }

    /// Sends an endless body in chunks, until the client closes or stops reading.
    package static func endlessBody() -> Script {
        let piece = chunk(String(repeating: "endless ", count: 1024))
        return Script { connection in
            _ = try connection.readRequest()
            try connection.write(chunkedHead)
            while true { try connection.write(piece) }
        }
    }

    /// Bytes of bodies of a given length: the letters from a to z, repeated.
    package static func letters(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(ascii: "a") + UInt8($0 % 26) }
    }

    private static let chunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    private static func chunk(_ text: String) -> String {
        "\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n"
    }

    private static func partialBody(declared: Int, sent: Int, fields: [ServerResponse.Field]) -> [UInt8] {
        ServerResponse(fields: fields + [("Content-Length", "\(declared)")], body: letters(sent)).bytes()
    }
}
