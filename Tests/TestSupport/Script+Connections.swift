extension Script {
    /// Accepts, and sends nothing until the client closes. Reads the request, so that `requests` shows it.
    package static func silenceBeforeHead() -> Script {
        Script { connection in
            _ = try connection.readRequest()
            try connection.waitForClose()
        }
    }

    /// Responds after the gate has opened.
    package static func held(_ gate: Gate, then response: ServerResponse) -> Script {
        Script { connection in
            let request = try connection.readRequest()
            try connection.wait(for: gate)
            try connection.respond(response, to: request)
        }
    }

    /// Reads the request, and closes without a byte of a response.
    package static func closedBeforeAnyByte() -> Script {
        Script { connection in
            _ = try connection.readRequest()
            connection.close()
        }
    }

    /// Reads the request, and resets the connection without a byte of a response.
    package static func resetBeforeAnyByte() -> Script {
        Script { connection in
            _ = try connection.readRequest()
            connection.reset()
        }
    }

    /// Closes as soon as it has accepted, without reading.
    package static func closedAtOnce() -> Script {
        Script { connection in connection.close() }
    }

    /// Responds to so many requests of each connection as if it stayed open, and then closes it without an
    /// announcement.
    ///
    /// The closing waits for `gate`, if there is one; `closed` opens when it has been done. So a client finds a
    /// connection in its pool that the server has given up (RFC 9112 §9.3.1).
    package static func closedBetweenRequests(
        after count: Int = 1, _ response: ServerResponse = ServerResponse(body: "kept"), gate: Gate? = nil,
        closed: Gate? = nil
    ) -> Script {
        Script { connection in
            for _ in 0..<count { try connection.respond(response, to: connection.readRequest()) }
            if let gate { try connection.wait(for: gate) }
            connection.close()
            closed?.open()
        }
    }

    /// Responds to the first request of each connection; reads the next one and closes without a response.
    package static func closedInsteadOfSecondResponse(_ response: ServerResponse = ServerResponse(body: "kept"))
        -> Script
    {
        Script { connection in
            try connection.respond(response, to: connection.readRequest())
            _ = try connection.readRequest()
            connection.close()
        }
    }
}
