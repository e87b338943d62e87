import Plugboard
import measuring

/// The plugin `queue`: its cost for requests that need no queue, and its rates.
func measureQueue(folder: String, _ count: Int) async throws {
    let transport = InstantTransport([:], body: .empty)
    let nothing = try makeKernel([], transport, folder: folder)
    let idle = try makeKernel(
        [PluginEntry("queue", settings: ["path": .string("\(folder)/idle.sqlite")])], transport, folder: folder)
    // The file is open, so that nothing waits for it.
    _ = try await idle.queue.statistics()
    for (name, method) in [("GET", Method.get), ("POST with a body", .post)] {
        for (kernel, suffix) in [(nothing, "without the queue"), (idle, "with the queue, which has nothing to do")] {
            try await withTaskExecutorPreference(kernel.executor) {
                try await Measurement.best(count) { _ in
                    var request = Request(method, "http://host0.test/")
                    if method == .post { request.body = .text("body") }
                    _ = try await kernel.send(request).body.collect(upTo: .kibibytes(1))
                }.row("\(name), \(suffix)")
            }
        }
    }
    for kernel in [nothing, idle] { await kernel.shutDown() }

    let rows = min(count, 10_000)
    for width in [1, 100] {
        let kernel = try makeKernel(
            [
                PluginEntry(
                    "queue", settings: ["path": .string("rate\(width).sqlite"), "automatic": false, "concurrency": 16])
            ],
            transport, folder: folder)
        _ = try await kernel.queue.statistics()
        try await Measurement.best(of: 1, rows / 100) { _ in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<100 {
                    if number >= width { try await group.next() }
                    group.addTask {
                        _ = try await kernel.sendLater(
                            Request(
                                .post, "http://origin.test/entries", body: .bytes([UInt8](repeating: 98, count: 200))))
                    }
                }
                try await group.waitForAll()
            }
        }.row("a hundred requests are queued, \(width) at once")
        let clock = ContinuousClock()
        let start = clock.now
        let left = try await kernel.queue.replay()
        let elapsed = seconds(clock.now - start) * 1e6 / Double(left.done)
        print("| one of \(left.done) queued requests is sent and settled | \(rounded(elapsed)) | | |")
        await kernel.shutDown()
    }
}
