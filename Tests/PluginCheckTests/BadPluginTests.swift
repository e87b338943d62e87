import PluginCheck
import TestSupport
import Testing

/// Each check finds what it is there for: a plugin that breaks its rule, and nothing else.
struct BadPluginTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let plugin: String
        let check: String
        let status: CheckResult.Status
        /// What the reason must say.
        let reason: String

        init(_ plugin: String, _ check: String, _ status: CheckResult.Status, _ reason: String) {
            self.plugin = plugin
            self.check = check
            self.status = status
            self.reason = reason
        }

        var testDescription: String { "\(plugin) in \(check)" }
    }

    static let cases = [
        Case("undefined_symbol", "load", .failed, "undefined symbol: nobody_has_this"),
        Case("constructor_crashes", "load", .crashed, "by SIGSEGV in check load"),
        Case("exports_more", "exports", .warned, "compress_bytes"),
        Case("metadata_differs", "metadata", .failed, "'com.example.metadata-differs 1.0.1'"),
        Case("no_metadata", "metadata", .warned, "PLUGBOARD_METADATA"),
        Case("bad_version", "descriptor", .failed, "'1.0' is not major.minor.patch"),
        Case("bad_table", "options", .failed, "the setting limit is listed twice"),
        Case("bad_default", "options", .failed, "must lie between 0 and 10"),
        Case("refuses_defaults", "defaults", .failed, "there is no key"),
        Case("needs_key", "defaults", .skipped, "--set key=VALUE"),
        Case("asks_unlisted", "unknown-settings", .failed, "the setting 'limit', which its table does not list"),
        Case("opens_files", "lifetimes", .failed, "descriptors are open"),
        Case("asks_too_early", "lifetimes", .failed, "create calls the host's publish"),
        Case("offers_everything", "extension", .failed, "unknown ids are answered with NULL"),
        Case("needs_extension", "bare-host", .crashed, "by SIGSEGV in check bare-host, in on_request"),
        Case("small_buffer", "heads", .crashed, "in on_response, with an answer with a huge etag"),
        Case("off_loop", "heads", .failed, "the host's request was called off the loop"),
        Case("five_classes", "statuses", .crashed, "in on_response, with GET answered with 600"),
        Case("marks_pieces", "pieces", .failed, "in pieces of 1 bytes"),
        Case("reads_ahead", "large-bodies", .crashed, "with POST of 16 MiB"),
        Case("forgets_cancel", "waits", .crashed, "by SIGSEGV"),
        Case("must_wake", "wakes", .crashed, "where its wakes come too late"),
        Case("answers_twice", "pulls", .failed, "a pull was answered twice"),
        Case("expects_at_once", "pulls", .crashed, "Assertion `last' failed"),
        Case("closes_blindly", "cancellation", .crashed, "in on_close, with GET that is not answered, cancelled at"),
        Case("keeps_body", "cancellation", .failed, "never given back"),
        Case("resumes_blindly", "suspension", .crashed, "answered with 200, suspended"),
        Case("one_slot", "parallel", .failed, "of 64 at once came to"),
        Case("sleeps", "pace", .warned, "on_request held the loop for more than 20 ms"),
        Case("leaks", "leaks", .failed, "the heap grows by at least"),
        Case("rare", "fuzz", .crashed, "in on_close, with exchange"),
        Case("no_verdict", "fuzz", .failed, "77, which is no verdict; it is drawn again with --only fuzz --seed 1"),
        Case("never_wakes", "defaults", .failed, "no end within 10 s, with GET"),
        Case("spins", "defaults", .failed, " s, in on_request"),
        Case("exits", "defaults", .crashed, "the process was ended with status 3 in check defaults, in on_request"),
    ]

    @Test(arguments: cases)
    func `a check finds the plugin that breaks its rule`(_ bad: Case) async throws {
        let folder = try TemporaryFolder("bad")
        let path = try await BadPlugin.build(bad.plugin, in: folder)

        let verdict = try await BadPlugin.check(path, "--only", bad.check, "--seed", "1", "--json")

        let result = try #require(verdict.results[bad.check], "\(verdict.output) \(verdict.errors)")
        #expect(result.status == bad.status, "\(result)")
        #expect(result.reason.contains(bad.reason), "\(result)")
        #expect(verdict.status == ([.failed, .crashed].contains(bad.status) ? 1 : 0))
    }

    @Test func `every check has a plugin that does not pass it`() {
        #expect(Set(BadPluginTests.cases.map(\.check)) == Set(PluginCheck.catalog.map(\.name)))
    }
}
