import Foundation
import PlugboardCurl
import PlugboardTransport
import TestSupport
import Testing

/// How many connections requests to one HTTP/2 origin open, and when one is given up.
@Suite(.enabled(if: NginxServer.isAvailable)) struct ConnectionSharingTests {
    @Test func `many requests at once share few connections of HTTP/2`() async throws {
        let server = try NginxServer.shared()
        let client = Client()
        var options = RequestOptions()
        options.tls.ca = server.authority.certificate

        let connections = try await withThrowingTaskGroup(of: String.self) { [options] group in
            for _ in 0..<600 {
                group.addTask {
                    let outcome = try await client.send(.get, server.url("/connection", .tls), options: options)
                    return String((outcome.text ?? "").prefix { $0 != " " && $0 != "\n" })
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }

        #expect(connections.count <= 24, "\(connections.count) connections")
    }

    @Test(arguments: [(NginxServer.Door.tls, true), (.tlsHTTP1, false)])
    func `an attempt says that its connection is shared in HTTP/2, and not in HTTP/1.1`(
        port: NginxServer.Door, isShared: Bool
    ) async throws {
        let server = try NginxServer.shared()
        let client = Client()
        var options = RequestOptions()
        options.tls.ca = server.authority.certificate

        let (attempt, slow) = await client.begin(.get, server.url("/slow/data.bin", port), options: options)
        try await slow.headOrEnd.opened()
        let sharesConnection = await client.onLoop { attempt.sharesConnection }
        await client.onLoop { attempt.cancel() }

        #expect(sharesConnection == isShared)
    }

    @Test func `requests to an origin of HTTP/1 do not wait for one another`() async throws {
        let server = try NginxServer.shared()
        let client = Client()
        var options = RequestOptions()
        options.tls.ca = server.authority.certificate

        _ = try await client.send(.get, server.url("/hundred.txt", .tlsHTTP1), options: options)
        let texts = try await withThrowingTaskGroup(of: String?.self) { [options] group in
            for _ in 0..<100 {
                group.addTask {
                    let outcome = try await client.send(.get, server.url("/hundred.txt", .tlsHTTP1), options: options)
                    return outcome.error.map { "\($0)" } ?? outcome.text
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(texts.count == 100)
        #expect(texts.filter { $0 != hundredLetters } == [])
    }

    @Test func `a connection of HTTP/1.1 in use is not shared with attempts that may use HTTP/2`() async throws {
        let server = try NginxServer.shared()
        let client = Client()
        var options = RequestOptions()
        options.tls.ca = server.authority.certificate
        var older = options
        older.httpVersion = .http1

        let (attempt, slow) = await client.begin(.get, server.url("/slow/data.bin", .tls), options: older)
        try await slow.headOrEnd.opened()
        // From the first on the host is known to speak both versions; the second looks among connections of both.
        var texts: [String?] = []
        for _ in 1...2 {
            texts.append(try await client.send(.get, server.url("/hundred.txt", .tls), options: options).text)
        }
        await client.onLoop { attempt.cancel() }

        #expect(texts == [hundredLetters, hundredLetters])
    }

    @Test func `a host that speaks HTTP/1.1 on one connection and HTTP/2 on another gets each response to its request`()
        async throws
    {
        let server = try NginxServer.shared()
        // The first connection of a host with servers of both kinds.
        let relay = try LoopbackServer(
            Script { connection in
                try connection.relay(to: server.port(connection.index == 1 ? .tlsHTTP1 : .tls))
            })
        defer { relay.stop() }
        let client = Client()
        var options = RequestOptions()
        options.tls.ca = server.authority.certificate
        let host = "https://127.0.0.1:\(relay.port)"

        let (attempt, slow) = await client.begin(.get, "\(host)/slow/data.bin", options: options)
        try await slow.headOrEnd.opened()
        var outcomes: [Client.Outcome] = []
        for _ in 1...3 {
            outcomes.append(try await client.send(.get, "\(host)/hundred.txt", options: options))
        }
        #expect(slow.state.withLock { $0.error } == nil)
        await client.onLoop { attempt.cancel() }

        for outcome in outcomes {
            #expect(outcome.text == hundredLetters || outcome.error?.code == .transportUnprocessed)
        }
    }

    @Test(arguments: [65_535, 65_536])
    func `a body of more than a window goes by HTTP/1.1 where it could damage other streams`(length: Int) async throws {
        let server = try NginxServer.shared()
        let client = Client()
        var options = RequestOptions()
        options.tls.ca = server.authority.certificate

        let outcome = try await client.send(
            .put, server.url("/store/window-\(length)", .tls), body: .bytes(Script.letters(length)), options: options)

        let isSound = CurlAbilities.current.restrictions.isEmpty
        #expect(outcome.status == 201 || outcome.status == 204)
        #expect(outcome.head?.version == (isSound || length == 65_535 ? .http2 : .http11))
    }

    @Test func `attempts that wait for a connection fail at once when none can be made`() async throws {
        let port = try ClosedPort()
        let client = Client()

        let codes = try await withThrowingTaskGroup(of: PlugboardError.Code?.self) { group in
            for _ in 0..<100 {
                group.addTask { try await client.send(.get, "https://127.0.0.1:\(port.port)/").error?.code }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(codes == Array(repeating: .transportConnect, count: 100))
    }

    @Test func `attempts that wait for a connection can be cancelled`() async throws {
        let silent = try LoopbackServer { connection in try connection.waitForClose() }
        let client = Client()
        defer { silent.stop() }

        var attempts: [(any Attempt, AttemptRecord)] = []
        for _ in 0..<40 { attempts.append(await client.begin(.get, "https://127.0.0.1:\(silent.port)/")) }
        let all = attempts
        await client.onLoop { for (attempt, _) in all { attempt.cancel() } }
        for (_, record) in attempts { try await record.end.opened() }

        #expect(attempts.allSatisfy { $0.1.notes == [.ended(.cancelled)] })
        #expect(silent.connectionCount <= 16)
    }

    @Test func `a connection that is silent until the timeout carries no later request`() async throws {
        let server = try NginxServer()
        let client = Client()
        var options = RequestOptions()
        options.tls.ca = server.authority.certificate
        options.idleTimeout = .seconds(2)

        let before = try await client.send(.get, server.url("/connection", .tls), options: options)
        try server.signal(SIGSTOP)
        let silent = try await client.send(.get, server.url("/connection", .tls), options: options)
        try server.signal(SIGCONT)
        let after = try await client.send(.get, server.url("/connection", .tls), options: options)

        #expect(silent.error?.code == .timeoutIdle)
        #expect(after.status == 200)
        #expect(before.text?.split(separator: " ").first != after.text?.split(separator: " ").first)
    }

    @Test func `a short idle timeout ends no other attempt on the same connection`() async throws {
        let server = try NginxServer()
        let client = Client()
        var patient = RequestOptions()
        patient.tls.ca = server.authority.certificate
        patient.idleTimeout = .seconds(60)
        var impatient = patient
        // Longer than what a connection must be silent at least before it is given up.
        impatient.idleTimeout = .milliseconds(1200)

        let before = try await client.send(.get, server.url("/connection", .tls), options: patient)
        try server.signal(SIGSTOP)
        let (_, waiting) = await client.begin(.get, server.url("/connection", .tls), options: patient)
        let silent = try await client.send(.get, server.url("/connection", .tls), options: impatient)
        try server.signal(SIGCONT)
        let after = try await client.finish(waiting)

        #expect(silent.error?.code == .timeoutIdle)
        #expect(after.error == nil && after.status == 200)
        #expect(before.text?.split(separator: " ").first == after.text?.split(separator: " ").first)
    }

    @Test(arguments: [nil, ManualClock()])
    func `an upload whose window is closed leaves the processor alone, and goes on when the window opens`(
        clock: ManualClock?
    ) async throws {
        let (full, gate) = (Gate(), Gate())
        let server = try LoopbackServer(
            .http2 { connection in
                let stream = try connection.readRequest()
                try connection.readData(65_535)
                full.open()
                try connection.connection.wait(for: gate)
                for stream in [0, stream] {
                    try connection.write(.windowUpdate, stream: stream, payload: Script.bigEndian(200_000))
                }
                try connection.readData(200_000 - 65_535)
                try connection.respond(to: stream, body: "enough")
                try connection.connection.waitForClose()
            })
        let client = Client(clock: clock)
        var options = RequestOptions()
        options.httpVersion = .http2PriorKnowledge
        defer { server.stop() }

        let (_, record) = await client.begin(
            .post, server.url(), body: .bytes(Script.letters(200_000)), options: options)
        try await full.opened()
        // Later versions do not even watch for writing, so that there are no turns to measure.
        if !CurlAbilities.current.readsEarlyHTTP2Responses {
            let duration = try await client.duration(ofTurns: 130)
            #expect(duration > .milliseconds(200), "130 turns took \(duration)")
        }
        gate.open()
        let outcome = try await client.finish(record)

        #expect(outcome.status == 200)
    }

    @Test(.enabled(if: CurlAbilities.current.readsEarlyHTTP2Responses, "this libcurl loses such responses"))
    func `a response that comes before the upload is done, and asks for no more of it, is the response`() async throws {
        let server = try LoopbackServer(
            .http2 { connection in
                let stream = try connection.readRequest()
                try connection.readData(65_535)
                try connection.respond(to: stream, body: "enough")
                // NO_ERROR (RFC 9113 §8.1).
                try connection.write(.reset, stream: stream, payload: Script.bigEndian(0))
                try connection.connection.waitForClose()
            })
        let client = Client()
        var options = RequestOptions()
        options.httpVersion = .http2PriorKnowledge
        defer { server.stop() }

        let outcome = try await client.send(
            .post, server.url(), body: .bytes(Script.letters(200_000)), options: options)

        #expect(outcome.status == 200)
        #expect(outcome.text == "enough")
        #expect(outcome.error == nil)
    }
}
