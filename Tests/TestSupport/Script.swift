/// The actions of a `LoopbackServer` for each connection.
///
/// Ready-made scripts do what a correct server does not do; they are in `Script+Bodies.swift`,
/// `Script+Heads.swift` and `Script+Connections.swift`. Unless documented otherwise, each reads one request, acts once,
/// and ends the connection.
package struct Script: Sendable {
    package let run: @Sendable (LoopbackServer.Connection) throws -> Void

    package init(_ run: @escaping @Sendable (LoopbackServer.Connection) throws -> Void) {
        self.run = run
    }

    /// The first script for the first connection, the second for the second, and the last for all that follow.
    package static func inTurn(_ first: Script, _ others: Script...) -> Script {
        let scripts = [first] + others
        return Script { connection in
            try scripts[min(connection.index, scripts.count) - 1].run(connection)
        }
    }

    /// Responds to each request of a connection until either side sends `Connection: close` or the client closes it.
    package static func responding(_ response: @escaping @Sendable (ReceivedRequest) throws -> ServerResponse) -> Script
    {
        Script { connection in
            var isLast = false
            while !isLast {
                let request: ReceivedRequest
                do {
                    request = try connection.readRequest()
                } catch ReceivedRequestError.closed {
                    return
                }
                let response = try response(request)
                try connection.respond(response, to: request)
                let saysClose = response.fields.contains {
                    $0.name.lowercased() == "connection" && $0.value.lowercased() == "close"
                }
                isLast = saysClose || request["Connection"]?.lowercased() == "close"
            }
        }
    }

    /// Responds to each request with exactly these bytes, and closes.
    package static func raw(_ bytes: [UInt8]) -> Script {
        Script { connection in
            _ = try connection.readRequest()
            try connection.write(bytes)
        }
    }

    /// Responds to each request with exactly this text in UTF-8, and closes.
    package static func raw(_ text: String) -> Script { raw(Array(text.utf8)) }
}
