import Glibc
import PlugboardJSON
import TestSupport
import Testing

@testable import PluginCheck

struct ReportTests {
    private func report(_ statuses: CheckResult.Status...) -> CheckReport {
        CheckReport(
            path: "a.so", seed: 3, results: statuses.enumerated().map { CheckResult("check\($0)", $1, "because") })
    }

    @Test func `a plugin is refused for failed and crashed checks, and with strict for warnings`() {
        #expect(!report(.passed, .skipped).isRefused(strict: true))
        #expect(!report(.passed, .untried).isRefused(strict: false))
        #expect(report(.passed, .untried).isRefused(strict: true))
        #expect(report(.passed, .failed).isRefused(strict: false))
        #expect(report(.crashed).isRefused(strict: false))
        #expect(!report(.warned).isRefused(strict: false))
        #expect(report(.warned).isRefused(strict: true))
    }

    @Test func `the summary counts the checks by status`() {
        #expect(report(.passed, .passed, .warned).summary == "a.so: 2 passed, 1 warned (seed 3)")
    }

    @Test func `lines are aligned to a given width`() {
        let results = [CheckResult("load", .passed, ""), CheckResult("heads", .skipped, "be\u{1B}cause")]

        #expect(results.map { $0.line(width: 7) } == ["passed   load", "skipped  heads    be\\u{1B}cause"])
    }

    @Test(arguments: [(Duration.seconds(1), 3_000), (.seconds(3), 3_000), (.seconds(6), 1_660), (.seconds(60), 500)])
    func `fewer exchanges are measured if they take long`(time: Duration, count: Int) {
        #expect(Check.leakStage(after: time) == count)
    }

    @Test func `coverages are added, and are the same after a round trip through JSON`() throws {
        var one = Coverage()
        one.list(.onFailure)
        one.add(.onRequest, "next")
        one.add(.onClose, "")
        var other = Coverage()
        other.add(.onRequest, "next")
        other.add(.onRequest, "wait")

        let sum = one + other

        #expect(sum.text == "on_request 2 next, 1 wait; on_failure never; on_close 1")
        #expect(Coverage(json: sum.json) == sum && Coverage(json: .null) == nil)
        #expect(Coverage().text.isEmpty)
    }

    @Test func `the JSON has the seed, the path and the checks`() {
        let json = report(.warned).json(strict: true)

        #expect(json["refused"] == true && json["seed"] == "3" && json["path"] == "a.so")
        #expect(json["checks"]?.arrayValue == [["check": "check0", "status": "warned", "reason": "because"]])
    }

    // The sanitizers have allocators of their own.
    @Test(.enabled(if: Sanitizer.present == nil, "the sanitizer's allocator does not tell how much is in use"))
    func `the heap in use grows with allocations`() throws {
        let before = try #require(HeapUse.bytes)
        // Small blocks, which the allocator does not map one by one.
        let blocks = (0..<4_000).map { _ in malloc(1_000) }
        let between = try #require(HeapUse.bytes)
        for block in blocks { free(block) }

        // Less than all of it, because other tests free memory meanwhile.
        #expect(between - before > 2_000_000)
    }

    @Test func `the heap in use is the size of arenas without their free parts, and of mapped memory`() {
        let text = """
            <malloc><heap nr="0"><system type="current" size="9"/></heap>
            <total type="fast" count="1" size="32"/><total type="rest" count="2" size="100"/>
            <total type="mmap" count="1" size="4096"/><system type="current" size="1000"/>
            <system type="max" size="5000"/></malloc>
            """
        let unused = text.replacing(/size="\d+"/, with: "size=\"0\"")

        #expect(HeapUse.inUse(text) == 1_000 + 4_096 - 132)
        // The allocator of another library is used.
        #expect(HeapUse.inUse(unused) == nil)
        #expect(HeapUse.inUse("") == nil)
    }

    @Test func `a pipe gives whole lines, in whatever pieces they were written`() throws {
        let pipe = try Pipe()
        let reader = LineReader(pipe.reader)

        for piece in ["doing\tone\npas", "sed\tyes", "\nrest"] {
            _ = piece.withCString { write(pipe.writer, $0, strlen($0)) }
            reader.read()
        }
        close(pipe.writer)
        reader.read()

        #expect(reader.hasEnded)
        #expect(reader.lines == ["doing\tone", "passed\tyes", "rest"])
    }
}
