// A worker of a fleet: it does what the lines of its standard input say, all at the same time, and writes what became
// of each as a line of its own. Cache, limit, token and budget of repetitions are those of all workers with the same
// configuration, and so is the queue.
//
//     ExampleFleet CONFIGURATION ORIGIN
//
//     get NAME         gets ORIGIN/NAME         →  get NAME 200
//     queue NAME       queues a POST of NAME    →  queue NAME done
//     migrate queue    makes the queue's tables →  migrate queue done
//
// What fails ends with its code.

import Glibc
import Plugboard
import PlugboardQueuePostgreSQL
import PlugboardRedis

let (file, origin) = (CommandLine.arguments[1], CommandLine.arguments[2])
let kernel = try Kernel(
    configuration: .file(file),
    catalog: .bundled.adding([redisPlugin()]), control: .socket, network: .system)

/// At once, also where standard output is a pipe.
func write(_ words: String...) {
    let line = words.joined(separator: " ") + "\n"
    _ = line.withCString { Glibc.write(STDOUT_FILENO, $0, line.utf8.count) }
}

func result(of work: () async throws -> String) async -> String {
    do { return try await work() } catch { return (error as? PlugboardError).map { "\($0.code)" } ?? "unknown" }
}

await withTaskGroup(of: Void.self) { group in
    while let line = readLine() {
        let words = line.split(separator: " ").map(String.init)
        group.addTask {
            let ending: String
            switch words[0] {
            case "get":
                ending = await result {
                    let response = try await kernel.send(Request(.get, "\(origin)/\(words[1])"))
                    _ = try await response.body.collect(upTo: .mebibytes(1))
                    return "\(response.status)"
                }
            case "migrate":
                ending = await result {
                    _ = try await kernel.queue.migrate()
                    return "done"
                }
            default:
                ending = await result {
                    var request = Request(.post, "\(origin)/orders", body: .text(words[1]))
                    request.queue.id = words[1]
                    request.queue.category = "orders"
                    _ = try await kernel.sendLater(request)
                    return "done"
                }
            }
            write(words[0], words[1], ending)
        }
    }
}
await kernel.shutDown()
