import Foundation
import TestSupport
import Testing

/// Uploads that are killed.
struct UploadKillTests {
    @Test(.timeLimit(.minutes(3)), arguments: [UploadServer.Dialect.draft, .tus])
    func `an upload that is killed at random moments ends with the whole file`(
        dialect: UploadServer.Dialect
    ) async throws {
        let server = try UploadServer(dialect)
        let folder = try TemporaryFolder()
        let content = RangeServer.content(600_000)
        let file = try folder.write("file", content)
        let sign = folder.file("kill")
        var random = SeededRandom(seed: 13)
        let line = """
            "$plugboard" upload "$file" "$url" --resumable \(dialect.rawValue) & id=$!; \
            while kill -0 $id 2>/dev/null && [ ! -e "$sign" ]; do sleep 0.01; done; \
            [ -e "$sign" ] && kill -9 $id; wait $id
            """
        let variables = ["file": file, "url": server.url(), "sign": sign, "XDG_STATE_HOME": folder.file("state")]

        // Each time when the server has some more bytes; then to the end.
        var statuses: [Int32] = []
        for kill in 0..<6 {
            let count = kill * 90_000 + Int.random(in: 1..<90_000, using: &random)
            server.change { $0.stop = (count, { _ = try? folder.write("kill", "") }) }
            statuses.append(try await Command.shell(line, variables).status)
            try? FileManager.default.removeItem(atPath: sign)
        }
        server.change { $0.stop = nil }
        let outcome = try await Command.shell(line, variables)

        #expect(statuses == Array(repeating: 137, count: 6) && outcome.status == 0, "\(outcome.stderr)")
        #expect(server.contents == [content])
        // One upload was continued again and again, and none was begun beside it.
        #expect(server.requests.filter { $0.method == "POST" || $0.method == "PUT" }.count == 1)
        #expect(server.requests.filter { $0.method == "PATCH" }.count == 7)
    }
}
