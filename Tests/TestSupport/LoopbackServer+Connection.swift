import Foundation

extension LoopbackServer {
    /// One accepted connection, as its script uses it. Belongs to the script's thread.
    package final class Connection {
        /// The number of the connection, counted from 1.
        package let index: Int
        private let socket: Socket
        /// The socket of the client, for a relay.
        var peer: Socket { socket }
        private let core: Core
        private var buffer: [UInt8] = []

        init(socket: Socket, index: Int, core: Core) {
            self.socket = socket
            self.index = index
            self.core = core
        }

        /// Reads a whole request. Sends "100 Continue" if the client waits for it (RFC 9110 §10.1.1).
        ///
        /// Throws `ReceivedRequestError.closed` at the end of the stream between requests.
        package func readRequest() throws -> ReceivedRequest {
            let (request, position) = try readUnrecordedHead()
            if request["Expect"]?.lowercased() == "100-continue" { try write("HTTP/1.1 100 Continue\r\n\r\n") }
            return try readBody(of: request, at: position)
        }

        /// Reads a head without the body, for scripts that respond or close before the body was received.
        package func readHead() throws -> ReceivedRequest {
            let (request, _) = try readUnrecordedHead()
            core.received.admit()
            return request
        }

        /// Sends the text as UTF-8. Throws `SystemError` if the client has disconnected.
        package func write(_ text: String) throws { try socket.write(Array(text.utf8)) }

        /// Sends the bytes. Throws `SystemError` if the client has disconnected.
        package func write(_ bytes: [UInt8]) throws { try socket.write(bytes) }

        /// Sends a response with a Content-Length, unless the fields define another framing.
        package func respond(status: Int = 200, fields: [ServerResponse.Field] = [], body: String = "") throws {
            try write(ServerResponse(status: status, fields: fields, body: body).bytes())
        }

        /// Sends a response that fits the request's method: without a body for HEAD.
        package func respond(_ response: ServerResponse, to request: ReceivedRequest) throws {
            try write(response.bytes(for: request.method))
        }

        /// Ends the connection with RST at once. The client receives written bytes only if it reads them in time.
        package func reset() { socket.reset() }

        /// Makes the server refuse new connections; existing ones continue.
        package func stopListening() { core.stopListening() }

        /// Blocks until the client's system has received all written bytes.
        package func waitUntilArrived() { socket.waitUntilArrived() }

        /// Sends the end of the stream after the written bytes.
        package func close() { socket.finishWriting() }

        /// Discards bytes of the client until it closes the connection or the server is stopped.
        package func waitForClose() throws {
            buffer.removeAll()
            do {
                while !(try socket.read().isEmpty) {}
            } catch SystemError.failed(_, ECONNRESET) {
                // The client closed with unread bytes, which counts as closing.
            }
        }

        /// Waits at a gate; stopping the server ends the wait with `GateError.interrupted`.
        package func wait(for gate: Gate, count: Int = 1, timeout: Duration = Gate.patience) throws {
            defer { socket.setOnInterrupt(nil) }
            try gate.wait(for: count, timeout: timeout) { interrupt in socket.setOnInterrupt(interrupt) }
        }

        private func readUnrecordedHead() throws -> (ReceivedRequest, position: Int) {
            while buffer.isEmpty {
                let more = try socket.read()
                if more.isEmpty { throw ReceivedRequestError.closed }
                buffer += more
            }
            var bytes: [UInt8] = []
            var lines: [[UInt8]] = []
            repeat {
                let line = try readLine()
                bytes += line + [13, 10]
                lines.append(line)
            } while lines.last?.isEmpty == false
            let parts = lines[0].split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            guard parts.count == 3 else { throw ReceivedRequestError.malformed("request line") }
            var request = ReceivedRequest()
            request.method = String(latin1: parts[0])
            request.target = String(latin1: parts[1])
            request.fields = try lines.dropFirst().dropLast().map(parseField)
            request.head = bytes
            request.connection = index
            let position = core.state.withLock { state in
                state.requests.append(request)
                return state.requests.count - 1
            }
            return (request, position)
        }

        private func readBody(of head: ReceivedRequest, at position: Int) throws -> ReceivedRequest {
            var request = head
            if request["Transfer-Encoding"]?.lowercased() == "chunked" {
                try readChunks(into: &request)
            } else if let text = request["Content-Length"] {
                guard let count = Int(text), count >= 0 else {
                    throw ReceivedRequestError.malformed("Content-Length: \(text)")
                }
                request.body = try readBytes(count)
            }
            let whole = request
            core.state.withLock { $0.requests[position] = whole }
            core.received.admit()
            return request
        }

        private func readChunks(into request: inout ReceivedRequest) throws {
            while true {
                let line = String(latin1: try readLine())
                let digits = line.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
                guard let count = Int(digits, radix: 16), count >= 0 else {
                    throw ReceivedRequestError.malformed("chunk size: \(line)")
                }
                if count == 0 { break }
                request.body += try readBytes(count)
                guard try readLine().isEmpty else { throw ReceivedRequestError.malformed("end of a chunk") }
            }
            while case let line = try readLine(), !line.isEmpty {
                request.trailers.append(try parseField(line))
            }
        }

        private func parseField(_ line: [UInt8]) throws -> ReceivedRequest.Field {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
                throw ReceivedRequestError.malformed("field line: \(String(latin1: line))")
            }
            let value = String(latin1: line[(colon + 1)...])
            return (String(latin1: line[..<colon]), value.trimmingCharacters(in: CharacterSet(charactersIn: " \t")))
        }

        /// A line without its CRLF.
        private func readLine() throws -> [UInt8] {
            var searched = 0
            while true {
                if let end = buffer[searched...].firstIndex(of: 10) {
                    guard end > 0, buffer[end - 1] == 13 else { throw ReceivedRequestError.malformed("bare LF") }
                    let line = Array(buffer[..<(end - 1)])
                    buffer.removeSubrange(...end)
                    return line
                }
                searched = buffer.count
                try fill()
            }
        }

        /// Reads this many bytes. Throws `ReceivedRequestError.cutShort` if the client closes before.
        package func readBytes(_ count: Int) throws -> [UInt8] {
            while buffer.count < count { try fill() }
            let bytes = Array(buffer[..<count])
            buffer.removeSubrange(..<count)
            return bytes
        }

        private func fill() throws {
            let more = try socket.read()
            if more.isEmpty { throw ReceivedRequestError.cutShort }
            buffer += more
        }
    }
}

/// The reason why no request could be read.
package enum ReceivedRequestError: Error, Equatable {
    /// The client closed the connection between requests.
    case closed
    /// The client closed the connection inside a request.
    case cutShort
    /// The client violated RFC 9112 at the given place.
    case malformed(String)
}
