// The kernel under load, in the manner of the two clients in C: the same arguments, the same line at the end.
//
//     kernel URL --requests N --concurrency C [--loop] [--linked] [--loaded PATH]… [--post BYTES]
//     kernel URL --download [--loop]
//     kernel URL --waiting N
import Dispatch
import Glibc
import PlugboardCore
import PluginLoader
import Synchronization
import measuring
import nothing

struct Arguments {
    var url = ""
    var requests = 1000
    var concurrency = 64
    var waiting = 0
    var isDownload = false
    var isOnLoop = false
    var isLinked = false
    var loaded: [String] = []
    /// The length of the body that each request sends; nil for GET.
    var posted: Int?

    init(_ words: [String]) {
        var words = words[...]
        while let word = words.popFirst() {
            switch word {
            case "--requests": requests = words.popFirst().flatMap { Int($0) } ?? requests
            case "--concurrency": concurrency = words.popFirst().flatMap { Int($0) } ?? concurrency
            case "--waiting": waiting = words.popFirst().flatMap { Int($0) } ?? waiting
            case "--download": isDownload = true
            case "--loop": isOnLoop = true
            case "--linked": isLinked = true
            case "--post": posted = words.popFirst().flatMap { Int($0) }
            case "--loaded": if let path = words.popFirst() { loaded.append(path) }
            default: url = word
            }
        }
    }
}

func makeKernel(_ arguments: Arguments) throws -> Kernel {
    var catalog = Catalog()
    var configuration = Configuration()
    configuration.kernel.timeout = .seconds(30)
    if arguments.isLinked {
        let plugins = (0..<UInt32(NOTHING_COUNT)).compactMap { nothing_plugin($0) }
        catalog = Catalog(plugins)
        configuration.plugins = catalog.ids.map { PluginEntry($0) }
    }
    configuration.plugins += arguments.loaded.map { PluginEntry($0) }
    return try Kernel(configuration: configuration, catalog: catalog, loader: .dynamic)
}

/// What the tasks count together.
final class Counts: Sendable {
    let left: Atomic<Int>
    let failed = Atomic<Int>(0)
    let began = Atomic<Int>(0)

    init(_ left: Int) { self.left = Atomic(left) }
}

func load(_ kernel: Kernel, _ arguments: Arguments) async throws {
    let counts = Counts(arguments.requests)
    let clock = ContinuousClock()
    let start = clock.now
    let cpu = cpuTime()
    await withTaskGroup(of: Void.self) { group in
        for _ in 0..<arguments.concurrency {
            group.addTask {
                var request = Request(.get, arguments.url)
                if let count = arguments.posted {
                    request = Request(.post, arguments.url, body: .bytes([UInt8](repeating: 120, count: count)))
                }
                while counts.left.subtract(1, ordering: .relaxed).newValue >= 0 {
                    do {
                        let response = try await kernel.send(request)
                        let body = try await response.body.collect(upTo: .mebibytes(1))
                        if response.status != 200 || body.isEmpty, arguments.posted == nil || response.status != 204 {
                            counts.failed.add(1, ordering: .relaxed)
                        }
                    } catch {
                        counts.failed.add(1, ordering: .relaxed)
                    }
                }
            }
        }
    }
    let elapsed = seconds(clock.now - start)
    let requests = Double(arguments.requests)
    print(
        "\(rounded(requests / elapsed, 0)) requests/s, \(rounded((cpuTime() - cpu) / requests)) CPU us/request, "
            + "\(rounded(elapsed, 3)) s elapsed, \(counts.failed.load(ordering: .relaxed)) failed")
}

func download(_ kernel: Kernel, _ arguments: Arguments) async throws {
    let clock = ContinuousClock()
    let start = clock.now
    let cpu = cpuTime()
    var count = 0
    for try await piece in try await kernel.send(Request(.get, arguments.url)).body { count += piece.count }
    let elapsed = seconds(clock.now - start)
    let gigabytes = Double(count) / 1e9
    print(
        "\(rounded(gigabytes / elapsed)) GB/s, \(rounded((cpuTime() - cpu) / 1e6 / gigabytes, 3)) CPU s/GB, "
            + "\(rounded(elapsed, 3)) s elapsed, \(count) bytes")
}

/// Begins exchanges that get no response, and prints how much memory each one needs.
func wait(_ kernel: Kernel, _ arguments: Arguments) async throws {
    let counts = Counts(0)
    // One first, so that what is made once does not count.
    let first = kernel.begin(Request(.get, arguments.url))
    try await Task.sleep(for: .milliseconds(300))
    let before = residentBytes()
    let handles = (0..<arguments.waiting).map { _ in
        kernel.begin(Request(.get, arguments.url)) { event in
            if event.kernelEvent == .connected { counts.began.add(1, ordering: .relaxed) }
        }
    }
    while counts.began.load(ordering: .relaxed) < arguments.waiting { try await Task.sleep(for: .milliseconds(20)) }
    try await Task.sleep(for: .milliseconds(500))
    print("\((residentBytes() - before) / arguments.waiting) bytes resident each, \(arguments.waiting) waiting")
    withExtendedLifetime((first, handles)) {}
    exit(0)
}

/// The main thread waits without running tasks: valgrind crashes when it ends, as it does in an asynchronous program.
@main struct Program {
    static func main() throws {
        let arguments = Arguments(Array(CommandLine.arguments.dropFirst()))
        let kernel = try makeKernel(arguments)
        let end = DispatchSemaphore(value: 0)
        Task(executorPreference: arguments.isOnLoop ? kernel.executor : nil) {
            do { try await measure(kernel, arguments) } catch { fatalError("\(error)") }
            end.signal()
        }
        end.wait()
    }

    private static func measure(_ kernel: Kernel, _ arguments: Arguments) async throws {
        if arguments.waiting > 0 {
            try await wait(kernel, arguments)
        } else if arguments.isDownload {
            try await download(kernel, arguments)
        } else {
            try await load(kernel, arguments)
        }
    }
}
