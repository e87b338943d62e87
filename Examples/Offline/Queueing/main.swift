import Plugboard

// Queues requests without waiting for a network, and ends:
//
//     ExampleQueueing URL FILE COUNT
let arguments = CommandLine.arguments
guard arguments.count == 4, let count = Int(arguments[3]) else {
    print("usage: ExampleQueueing URL FILE COUNT")
    throw PlugboardError(.requestParameter, "Three arguments are needed.")
}
let (url, file) = (arguments[1], arguments[2])
let kernel = try Kernel(plugins: [
    .queue {
        $0.path = file
        $0.mode = .later
        // This program ends before there is a network.
        $0.automatic = false
    }
])

// A hundred at a time: they are written to the disk together.
try await withThrowingTaskGroup(of: Void.self) { group in
    for number in 0..<count {
        if number >= 100 { try await group.next() }
        group.addTask {
            var request = Request(.post, url, body: .text("entry \(number)"))
            request.queue.id = "entry-\(number)"
            _ = try await kernel.sendLater(request)
        }
    }
    try await group.waitForAll()
}
print("queued: \(try await kernel.queue.statistics().waiting)")
await kernel.shutDown()
