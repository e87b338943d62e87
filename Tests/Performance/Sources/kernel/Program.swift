// The kernel under load, in the manner of the two clients in C: the same arguments, the same line at the end.
//
//     kernel URL --requests N --concurrency C [--rate R] [--loop] [--linked] [--bundled] [--plugin ID]…
//         [--loaded PATH]… [--post BYTES]
//     kernel URL --download [--loop]
//     kernel URL --waiting N
import Dispatch
@preconcurrency import Glibc
import Plugboard
import PluginLoader
import Synchronization
import loading
import measuring
import nothing

/// The arguments of this program alone.
struct KernelArguments {
    var waiting = 0
    var isDownload = false
    var isOnLoop = false
    var isLinked = false
    /// Ids of bundled plugins.
    var bundled: [String] = []
    var loaded: [String] = []
    /// The length of the body that each request sends; nil for GET.
    var posted: Int?

    init(_ words: [String]) {
        var words = words[...]
        while let word = words.popFirst() {
            switch word {
            case "--waiting": waiting = words.popFirst().flatMap { Int($0) } ?? waiting
            case "--download": isDownload = true
            case "--loop": isOnLoop = true
            case "--linked": isLinked = true
            case "--bundled": bundled += ["decode", "redirect", "authentication", "cookies", "retry"]
            case "--plugin": if let id = words.popFirst() { bundled.append(id) }
            case "--post": posted = words.popFirst().flatMap { Int($0) }
            case "--loaded": if let path = words.popFirst() { loaded.append(path) }
            default: break
            }
        }
    }
}

func makeKernel(_ arguments: Arguments, _ own: KernelArguments) throws -> Kernel {
    var catalog = Catalog([])
    var configuration = Configuration()
    configuration.kernel.timeout = .seconds(30)
    configuration.kernel.defaults.tls.ca = arguments.certificates
    // The clients in C have no limit either.
    let atOnce = max(arguments.concurrency, own.waiting)
    if atOnce > configuration.kernel.connectionsPerHost { configuration.kernel.connectionsPerHost = 0 }
    if own.isLinked {
        let plugins = (0..<UInt32(NOTHING_COUNT)).compactMap { nothing_plugin($0) }
        catalog = Catalog(plugins)
        configuration.plugins = catalog.ids.map { PluginEntry($0) }
    }
    if !own.bundled.isEmpty {
        catalog = .bundled
        configuration.plugins = own.bundled.map {
            PluginEntry($0, settings: $0 == "cookies" ? ["persistence": "memory"] : [:])
        }
    }
    configuration.plugins += own.loaded.map { PluginEntry($0) }
    return try Kernel(configuration: configuration, catalog: catalog, loader: .dynamic)
}

func load(_ kernel: Kernel, _ arguments: Arguments, posted: Int?) async {
    var request = Request(.get, arguments.url)
    if let posted { request = Request(.post, arguments.url, body: .bytes([UInt8](repeating: 120, count: posted))) }
    await Load(arguments) { [request] in
        let response = try await kernel.send(request)
        let body = try await response.body.collect(upTo: .mebibytes(1))
        // The server's response to a POST has no body.
        return Received(status: response.status == 204 ? 200 : response.status, bytes: body.count)
    }.run()
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

final class Count: Sendable {
    let value = Atomic<Int>(0)
}

/// Begins exchanges that get no response, and prints how much memory each one needs.
func wait(_ kernel: Kernel, _ arguments: Arguments, _ waiting: Int) async throws {
    let began = Count()
    // One first, so that what is made once does not count.
    let first = kernel.begin(Request(.get, arguments.url))
    try await Task.sleep(for: .milliseconds(300))
    let before = residentBytes()
    let handles = (0..<waiting).map { _ in
        kernel.begin(Request(.get, arguments.url)) { event in
            if event.kernelEvent == .connected { began.value.add(1, ordering: .relaxed) }
        }
    }
    while began.value.load(ordering: .relaxed) < waiting { try await Task.sleep(for: .milliseconds(20)) }
    try await Task.sleep(for: .milliseconds(500))
    print("\((residentBytes() - before) / waiting) bytes resident each, \(waiting) waiting")
    withExtendedLifetime((first, handles)) {}
    exit(0)
}

/// The main thread waits without running tasks: valgrind crashes when it ends, as it does in an asynchronous program.
@main struct Program {
    static func main() throws {
        let words = Array(CommandLine.arguments.dropFirst())
        let (arguments, own) = (Arguments(words), KernelArguments(words))
        let kernel = try makeKernel(arguments, own)
        let end = DispatchSemaphore(value: 0)
        Task(executorPreference: own.isOnLoop ? kernel.executor : nil) {
            do { try await measure(kernel, arguments, own) } catch { fatalError("\(error)") }
            end.signal()
        }
        end.wait()
    }

    private static func measure(_ kernel: Kernel, _ arguments: Arguments, _ own: KernelArguments) async throws {
        if own.waiting > 0 {
            try await wait(kernel, arguments, own.waiting)
        } else if own.isDownload {
            try await download(kernel, arguments)
        } else {
            await load(kernel, arguments, posted: own.posted)
        }
    }
}
