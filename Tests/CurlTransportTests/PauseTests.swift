import PlugboardCurl
import PlugboardTransport
import TestSupport
import Testing

/// Suspending over HTTP/2, where a paused stream must not hold back the bytes of other streams.
@Suite(.enabled(if: NginxServer.isAvailable)) struct PauseTests {
    private static func options(_ server: NginxServer) -> RequestOptions {
        var options = RequestOptions()
        options.tls.ca = server.authority.certificate
        return options
    }

    @Test func `a suspension before the head loses nothing of head and body`() async throws {
        let server = try NginxServer.shared()
        let client = Client()
        let options = Self.options(server)

        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<24 {
                group.addTask {
                    let (attempt, record) = await client.begin(.get, server.url("/data.bin", .tls), options: options)
                    await client.onLoop { attempt.suspend() }
                    // Another request on the same connection makes libcurl read what belongs to the suspended one.
                    let other = try await client.send(.get, server.url("/hundred.txt", .tls), options: options)
                    await client.onLoop { attempt.resume() }
                    let outcome = try await client.finish(record)

                    #expect(other.text == hundredLetters)
                    #expect(outcome.status == 200 && outcome.head?.fields["Content-Length"] == "1048576")
                    #expect(outcome.body == Self.data)
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `what a cancelled and suspended stream left over comes to no other response`() async throws {
        let server = try NginxServer.shared()
        var settings = CurlTransportSettings()
        settings.bodyQueueLimit = .kibibytes(64)
        let client = Client(settings)
        let options = Self.options(server)

        for round in 0..<12 {
            // Keeps the connection in use while the other stream ends early.
            let (_, holder) = await client.begin(.get, server.url("/slow/data.bin", .tls), options: options)
            let (attempt, record) = await client.begin(.get, server.url("/data.bin", .tls), options: options)
            try await record.headOrEnd.opened()
            await client.onLoop {
                if round % 2 == 0 { attempt.suspend() }
            }
            for _ in 0..<20 { await client.onLoop {} }
            await client.onLoop { attempt.cancel() }
            let next = try await client.send(
                .post, server.url("/echo"), body: Body(PiecesSource(["a", "b", "c"])))
            #expect(next.text?.hasPrefix("POST /echo HTTP/1.1") == true)
            holder.state.withLock { $0.body }?.release()
            _ = try? await client.finish(record)
        }
    }

    @Test(arguments: [Method.get, .post])
    func `a body whose chunks turn malformed while it is suspended fails when that is reached`(
        _ method: Method
    ) async throws {
        let body = String(repeating: "x", count: 200_000)
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n30d40\r\n\(body)\r\n")
            try connection.write("5g\r\nhello\r\n0\r\n\r\n")
            try connection.waitForClose()
        }
        var settings = CurlTransportSettings()
        settings.bodyQueueLimit = .kibibytes(64)
        let client = Client(settings)
        defer { server.stop() }

        let (attempt, record) = await client.begin(
            method, server.url(), body: method == .post ? .text("body") : nil)
        try await record.headOrEnd.opened()
        await client.onLoop { attempt.suspend() }
        for _ in 0..<50 { await client.onLoop {} }
        await client.onLoop { attempt.resume() }
        let outcome = try await client.finish(record)

        #expect(outcome.error?.code == .transportProtocol)
        #expect(outcome.error?.reason.contains("chunk") == true, "\(outcome.error as Any)")
    }

    private static let data = Bytes((0..<1_048_576).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
}

/// What `/hundred.txt` holds.
let hundredLetters = String(decoding: Script.letters(100), as: UTF8.self)
