import Plugboard

let url = CommandLine.arguments.dropFirst().first ?? "http://localhost:8080/"
var configuration = Configuration(plugins: ["decode"])
configuration.kernel.loops = 2
let kernel = try Kernel(configuration: configuration)

// Each task runs on the thread of one loop, and so do its requests.
let bytes = try await withThrowingTaskGroup(of: Int.self) { group in
    for executor in kernel.executors {
        group.addTask(executorPreference: executor) {
            var count = 0
            for _ in 0..<10 { count += try await kernel.send(Request(.get, url)).body.text().utf8.count }
            return count
        }
    }
    var bytes = 0
    for try await count in group { bytes += count }
    return bytes
}
print("\(bytes) bytes over \(kernel.executors.count) loops")
await kernel.shutDown()
