import Foundation
import TestSupport
import Testing

/// Libraries that are built with the frozen header and with another, as `abidiff` compares them.
struct HeaderLibraryTests {
    private static let hasAbidiff = (try? ProcessRunner.run(["abidiff", "--version"]).status) == 0

    private func compare(with header: String) async throws -> ProcessRunner.Outcome {
        try await ProcessRunner.running([FrozenPlugin.comparison, FrozenPlugin.header, header])
    }

    @Test(.enabled(if: hasAbidiff, "needs abidiff (Debian: abigail-tools)"))
    func `a library of the present header has the ABI of one of the frozen header`() async throws {
        let outcome = try await compare(with: FrozenPlugin.currentHeader)

        #expect(outcome.status == 0 && outcome.stdout == "", "\(outcome.stdout)\(outcome.stderr)")
    }

    @Test(
        .enabled(if: hasAbidiff, "needs abidiff (Debian: abigail-tools)"),
        arguments: [
            (
                "    int64_t (*now)(const plug_host_v1 *host);\n    // Returns the time since 1970-01-01 00:00 UTC. [any]\n"
                    + "    int64_t (*wall_clock)(const plug_host_v1 *host);\n",
                "    int64_t (*wall_clock)(const plug_host_v1 *host);\n    int64_t (*now)(const plug_host_v1 *host);\n",
                "now' offset changed"
            ),
            ("    int32_t priority; ", "    uint32_t priority;", "type of 'int32_t priority' changed"),
            ("int64_t after);", "uint64_t after);", "resend' changed"),
            ("typedef uint64_t plug_watch;", "typedef uint32_t plug_watch;", "plug_watch"),
        ])
    func `a function that moved and a type that changed are found`(old: String, new: String, found: String) async throws
    {
        let folder = try TemporaryFolder("headers")
        let text = try String(contentsOfFile: FrozenPlugin.header, encoding: .utf8)
        try #require(text.contains(old), "the header has no such lines")
        let changed = try folder.write("changed.h", text.replacing(old, with: new))

        let outcome = try await compare(with: changed)

        #expect(outcome.status != 0 && outcome.stdout.contains(found), "\(outcome.stdout)\(outcome.stderr)")
    }
}
