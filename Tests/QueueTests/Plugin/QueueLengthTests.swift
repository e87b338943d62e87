import Plugboard
import PlugboardJSON
import TestSupport
import Testing

@_spi(QueueStores) @testable import PlugboardQueue

/// The gauge of the requests in the file.
@Suite(.timeLimit(.minutes(2)))
struct QueueLengthTests {
    @Test(arguments: Linkage.allCases)
    func `metrics have the number of requests that wait, and of dead ones`(linkage: Linkage) async throws {
        let shore = try Shore()
        shore.isOnline = true
        shore.respond("/bad", 422)
        let kernel = try shore.kernel(linkage, settings: ["rejections": 1, "automatic": false])
        func lengths() -> [String] {
            kernel.metrics.filter { $0.name == "queue.length" }.map { "\($0.labels.map(\.value)) \($0.value)" }
        }
        /// Expects these numbers within a time, because the store's thread reads them after each work.
        func expect(_ dead: Int, _ pending: Int, _ location: SourceLocation = #_sourceLocation) async {
            let expected = [#"["dead"] \#(dead)"#, #"["pending"] \#(pending)"#]
            let end = ContinuousClock.now + .seconds(30)
            while lengths() != expected, ContinuousClock.now < end { await Task.yield() }
            #expect(lengths() == expected, sourceLocation: location)
        }
        let before = lengths()

        let bad = try await kernel.sendLater(Shore.post("bad"))
        _ = try await kernel.sendLater(Shore.post("good"))
        await expect(0, 2)
        try await kernel.queue.replay(id: bad)
        await expect(1, 1)
        try await kernel.queue.drop(id: bad)
        await expect(0, 1)

        #expect(before == [#"["dead"] 0"#, #"["pending"] 0"#])
        await kernel.shutDown()
    }
}
