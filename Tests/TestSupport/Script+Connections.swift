extension Script {
    /// Accepts, and never says a word until the client gives up. Reads the request, so that `requests` shows it.
    package static func silenceBeforeHead() -> Script {
        Script { connection in
            _ = try connection.readRequest()
            try connection.waitForClose()
        }
    }

    /// Answers only once the gate has opened.
    package static func held(_ gate: Gate, then answer: ServerResponse) -> Script {
        Script { connection in
            let request = try connection.readRequest()
            try connection.wait(for: gate)
            try connection.respond(answer, to: request)
        }
    }

    /// Closes before any byte of an answer, having read the request.
    package static func closedBeforeAnyByte() -> Script {
        Script { connection in
            _ = try connection.readRequest()
            connection.close()
        }
    }

    /// Resets before any byte of an answer, having read the request.
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

    /// Answers so many requests of each connection as if it would stay open, and then closes it, without a word.
    ///
    /// The closing waits for `gate`, if there is one; `closed` opens when it has been done. So a client finds a
    /// connection in its pool that the server has given up (RFC 9112 §9.3.1).
    package static func closedBetweenRequests(
        after count: Int = 1, _ answer: ServerResponse = ServerResponse(body: "kept"), gate: Gate? = nil, closed: Gate? = nil
    ) -> Script {
        Script { connection in
            for _ in 0..<count { try connection.respond(answer, to: connection.readRequest()) }
            if let gate { try connection.wait(for: gate) }
            connection.close()
            closed?.open()
        }
    }

    /// Answers the first request of each connection; reads the next one and closes instead of answering it.
    package static func closedInsteadOfSecondResponse(_ answer: ServerResponse = ServerResponse(body: "kept")) -> Script {
        Script { connection in
            try connection.respond(answer, to: connection.readRequest())
            _ = try connection.readRequest()
            connection.close()
        }
    }
}
