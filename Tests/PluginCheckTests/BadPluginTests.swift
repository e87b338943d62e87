import Foundation
import PluginCheck
import TestSupport
import Testing

/// Each check finds the plugin that breaks its rule. That plugin passes all other checks, except those that meet the
/// same fault. The two checks that send thousands of exchanges are run for their own plugins only.
struct BadPluginTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let plugin: String
        let check: String
        let status: CheckResult.Status
        /// What the reason must contain.
        let reason: String
        /// Further checks that meet the fault: they fail, crash or warn.
        let also: Set<String>
        /// Checks that are not run for this plugin, because they would take too long to find the same.
        let without: Set<String>

        init(
            _ plugin: String, _ check: String, _ status: CheckResult.Status, _ reason: String,
            also: Set<String> = [], without: Set<String> = lengthy
        ) {
            self.plugin = plugin
            self.check = check
            self.status = status
            self.reason = reason
            self.also = also
            self.without = without.subtracting([check])
        }

        /// The checks that find something.
        var finding: Set<String> { (status == .untried ? also : also.union([check])).subtracting(without) }

        var testDescription: String { "\(plugin) in \(check)" }
    }

    static let lengthy: Set = ["leaks", "fuzz"]
    static let all = Set(PluginCheck.catalog.map(\.name))

    /// The checks that send exchanges through the plugin.
    static let sending = all.subtracting([
        "load", "exports", "metadata", "descriptor", "options", "unknown-settings", "extension", "commands",
    ])

    static let cases = [
        Case("undefined_symbol", "load", .failed, "undefined symbol: undefined_function"),
        Case("constructor_crashes", "load", .crashed, "by SIGSEGV in check load"),
        Case("exports_more", "exports", .warned, "compress_bytes"),
        Case("metadata_differs", "metadata", .failed, "'com.example.metadata-differs 1.0.1'"),
        Case("no_metadata", "metadata", .warned, "PLUGBOARD_METADATA"),
        Case("bad_version", "descriptor", .failed, "'1.0' is not major.minor.patch"),
        Case("bad_table", "options", .failed, "the setting limit is listed twice"),
        Case("bad_default", "options", .failed, "must lie between 0 and 10"),
        Case("bad_bounds", "options", .failed, "the setting limit has a minimum that is larger than its maximum"),
        Case("refuses_defaults", "defaults", .failed, "there is no key"),
        Case("needs_key", "defaults", .untried, "--set key=VALUE"),
        Case(
            "asks_unlisted", "unknown-settings", .failed, "the setting 'limit', which its table does not list",
            also: sending),
        Case("opens_files", "lifetimes", .failed, "descriptors are open"),
        Case(
            "asks_too_early", "lifetimes", .failed, "create calls the host's publish_event",
            also: sending.union(["unknown-settings"])),
        Case("offers_everything", "extension", .failed, "the result for an unknown id must be NULL"),
        Case(
            "needs_extension", "bare-host", .crashed, "by SIGSEGV in check bare-host, in on_request", also: sending),
        Case("small_buffer", "heads", .crashed, "in on_response, with a response with a huge etag"),
        Case("first_letter", "heads", .crashed, "in on_response, with a response with an empty etag"),
        Case("off_loop", "heads", .failed, "the host's request was called off the loop", also: sending),
        Case("five_classes", "statuses", .crashed, "in on_response, with GET that gets 600"),
        Case("marks_pieces", "pieces", .failed, "in pieces of 1 bytes", also: ["large-bodies", "pulls"]),
        Case(
            "reads_ahead", "large-bodies", .crashed, "with POST of 16 MiB",
            also: sending.subtracting(["defaults", "lifetimes", "heads", "statuses", "pulls", "parallel"])),
        Case("forgets_cancel", "waits", .crashed, "by SIGSEGV", also: ["cancellation"]),
        Case(
            "must_wake", "wakes", .crashed, "where its wakes come too late",
            also: ["waits", "cancellation"]),
        Case("frees_early", "wakes", .crashed, "where its wakes come second"),
        Case("expects_at_once", "pulls", .crashed, "in pulls completed late", also: ["pieces", "large-bodies"]),
        Case(
            "completes_twice", "pulls", .failed, "a pull was completed twice", also: sending),
        Case("completes_race", "pulls", .failed, "a pull was completed twice", also: sending),
        Case("pulls_elsewhere", "pulls", .failed, "the host's body_pull was called off the loop", also: sending),
        Case(
            "closes_blindly", "cancellation", .crashed, "in on_close, with GET without a response, cancelled at"),
        Case("keeps_body", "cancellation", .failed, "never released", also: sending),
        Case("resumes_blindly", "suspension", .crashed, "that gets 200, suspended"),
        Case(
            "one_slot", "parallel", .failed, "of 64 at once ended with", also: ["pieces", "large-bodies", "pulls"]),
        Case("sleeps", "pace", .warned, "on_request held the loop for more than 20 ms", without: all),
        Case("leaks", "leaks", .failed, "the heap grows by at least"),
        Case("rare", "fuzz", .crashed, "in on_close, with exchange"),
        Case(
            "no_verdict", "fuzz", .failed, "77, which is not a verdict; repeat it with --only fuzz --seed 1",
            also: sending.subtracting(["defaults", "lifetimes", "statuses", "pieces", "pulls", "parallel"])),
        Case("never_wakes", "defaults", .failed, "no end within 10 s, with GET", without: all),
        Case("spins", "defaults", .failed, " s, in on_request", without: all),
        Case("one_body_twice", "heads", .failed, "bodies a second time", also: sending),
        Case("command_crashes", "commands", .crashed, "by SIGABRT in check commands, in command, with the command"),
        Case(
            "exits", "defaults", .crashed, "the process was ended with status 3 in check defaults, in on_request",
            also: sending),
    ]

    // The allocators of the sanitizers do not tell how much memory is in use.
    @Test(arguments: cases.filter { Sanitizer.present == nil || $0.check != "leaks" })
    func `a check finds the plugin that breaks its rule, and nothing else is found`(_ bad: Case) async throws {
        let folder = try TemporaryFolder("bad")
        let path = try await BadPlugin.build(bad.plugin, in: folder)
        let only = BadPluginTests.all.subtracting(bad.without).flatMap { ["--only", $0] }

        let verdict = try await BadPlugin.check(path, ["--seed", "1", "--json"] + only)

        let result = try #require(verdict.results[bad.check], "\(verdict.output) \(verdict.errors)")
        #expect(result.status == bad.status, "\(result)")
        #expect(result.reason.contains(bad.reason), "\(result)")
        let found = verdict.results.values.filter { ![.passed, .skipped, .untried].contains($0.status) }
        let checks = Set(found.map(\.check))
        // A fault that is a race is not found by every check each time.
        let isSure = bad.plugin != "completes_race"
        #expect(isSure ? checks == bad.finding : checks.isSubset(of: bad.finding), "\(found)")
        #expect(verdict.status == (found.contains { $0.status != .warned } ? 1 : 0))
    }

    @Test func `every check has a plugin that does not pass it`() {
        #expect(Set(BadPluginTests.cases.map(\.check)) == BadPluginTests.all)
    }

    @Test func `every bad plugin has a case`() throws {
        let sources = try FileManager.default.contentsOfDirectory(atPath: BadPlugin.sources)

        #expect(Set(sources) == Set(BadPluginTests.cases.map { "\($0.plugin).c" }))
    }
}
