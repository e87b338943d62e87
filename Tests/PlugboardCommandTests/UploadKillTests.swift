import Foundation
import TestSupport
import Testing

/// Uploads that are killed.
struct UploadKillTests {
    @Test(.timeLimit(.minutes(3)), arguments: [UploadServer.Dialect.draft, .tus])
    func `an upload that is killed at random moments ends with the whole file`(
        dialect: UploadServer.Dialect
    ) async throws {
        var plan = UploadServer.Plan(dialect)
        plan.pause = 2_000
        let server = try UploadServer(plan)
        let folder = try TemporaryFolder()
        var random = SeededRandom(seed: 13)
        var contents: [[UInt8]] = []
        var kills = 0
        while kills < 12 {
            let content = RangeServer.content(700_000, seed: UInt64(contents.count + 1))
            let file = try folder.write("file\(contents.count)", content)
            contents.append(content)
            while server.contents.count < contents.count {
                let seconds = kills < 12 ? Double.random(in: 0.03...0.15, using: &random) : 60
                let outcome = try await ProcessRunner.running(
                    ["timeout", "-s", "KILL", "\(seconds)"] + [
                        try Products.executable("plugboard"), "upload", file, server.url(), "--resumable",
                        dialect.rawValue,
                    ], environment: ["XDG_STATE_HOME": folder.file("state")])
                if outcome.status != 0 { kills += 1 }
                if kills > 40 { break }
            }
        }

        #expect(server.contents == contents)
        // Some of the kills came while bytes were sent.
        #expect(server.requests.contains { ($0["Upload-Offset"] ?? "0") != "0" })
    }
}
