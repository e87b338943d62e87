import Plugboard

// Delivers what another program has queued, and acknowledges the outcomes:
//
//     ExampleDelivering FILE
let arguments = CommandLine.arguments
guard arguments.count == 2 else {
    print("usage: ExampleDelivering FILE")
    throw PlugboardError(.requestParameter, "One argument is needed.")
}
let file = arguments[1]
let kernel = try Kernel(plugins: [
    .queue {
        $0.path = file
        $0.concurrency = 16
    }
])

// The kernel sends by itself; this returns when nothing can be sent any more.
let left = try await kernel.queue.replay()
var delivered = 0
while true {
    let outcomes = try await kernel.queue.outcomes(limit: 1000)
    if outcomes.isEmpty { break }
    delivered += outcomes.count { $0.hasSucceeded }
    for dead in outcomes where !dead.hasSucceeded {
        print("not delivered: \(dead.method) \(dead.url): \(dead.reason ?? "")")
    }
    try await kernel.queue.acknowledge(outcomes.map(\.id))
}
print("delivered: \(delivered), left: \(left.waiting)")
await kernel.shutDown()
