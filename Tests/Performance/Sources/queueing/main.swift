// How fast the queue on PostgreSQL is, beside plain_postgresql.
//
//     queueing URL COUNT      microseconds for each request: added one by one, 100 at once, sent and settled
import Plugboard
import PlugboardQueuePostgreSQL
import PlugboardTransport
import measuring

let (url, count) = (CommandLine.arguments[1], Int(CommandLine.arguments[2]) ?? 1000)

func kernel(isSending: Bool) throws -> Kernel {
    try Kernel(
        plugins: [
            .queue {
                ($0.store, $0.automatic, $0.spread, $0.limit) = (url, isSending, .zero, 10_000_000)
            }
        ], transport: InstantTransport(Fields(), body: Bytes("ok")), log: .silent)
}

func add(_ kernel: Kernel) async throws {
    var request = Request(.post, "http://a.test/x", body: .bytes([UInt8](repeating: 98, count: 199)))
    request["X-Head"] = String(repeating: "h", count: 120)
    _ = try await kernel.sendLater(request)
}

func report(_ name: String, _ requests: Int, _ work: () async throws -> Void) async rethrows {
    let start = ContinuousClock.now
    try await work()
    let time = (ContinuousClock.now - start) / requests
    print(name, Double(time.components.attoseconds) / 1e12 + Double(time.components.seconds) * 1e6)
}

let writer = try kernel(isSending: false)
try await writer.queue.migrate()
try await writer.queue.forget()
try await report("one by one         ", count) { for _ in 0..<count { try await add(writer) } }
try await report("100 at once        ", 2 * count) {
    for _ in 0..<2 * count / 100 {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { try await add(writer) } }
            try await group.waitForAll()
        }
    }
}
await writer.shutDown()
let sender = try kernel(isSending: true)
try await report("sent and settled   ", 3 * count) {
    while try await sender.queue.statistics().done < 3 * count { try await Task.sleep(for: .milliseconds(20)) }
}
await sender.shutDown()
