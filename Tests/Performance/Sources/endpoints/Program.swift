// What an endpoint costs beside the same request made by hand.
//
//     endpoints COUNT                                            rows of a table: µs each
//     valgrind --tool=callgrind endpoints COUNT --only NAME      instructions, of one of them alone
//     endpoints --files FOLDER                                   writes the responses to files, and ends
//     endpoints COUNT --server URL                               over HTTP, from a server of these files
//
// Without a server, a transport in the process responds at once.
import Dispatch
@preconcurrency import Glibc
import PlugboardEndpoints
import measuring

struct Topic: Codable, Sendable {
    let id: Int
    let title: String
    let author: String
    let replies: Int
    let isPinned: Bool
}

struct TopicList: Endpoint, Encodable {
    typealias Response = [Topic]
    var path: String { "boards/{board}/topics" }
    let board: String
    var page = 1
}

/// The same with parameters that are given, and not encoded.
struct PlainTopicList: Endpoint {
    typealias Response = [Topic]
    var path: String { "boards/{board}/topics" }
    var parameters: Parameters { ["board": board, "page": page] }
    let board: String
    var page = 1
}

struct Ping: Endpoint {
    typealias Response = Bytes
    var path: String { "ping" }
}

func topics(_ count: Int) -> Bytes {
    let topics = (0..<count).map {
        #"{"id": \#($0), "title": "What a topic is called, number \#($0)", "author": "ada", "replies": 17, "isPinned": false}"#
    }
    return Bytes("[\(topics.joined(separator: ", "))]")
}

/// Where the responses come from.
struct Origin: Sendable {
    let server: String?

    func kernel(_ body: Bytes) throws -> Kernel {
        if server != nil { return try Kernel() }
        return try Kernel(transport: InstantTransport(["Content-Type": "application/json"], body: body))
    }

    func base(_ name: String) -> String { "\(server ?? "https://api.example.com")/json/\(name)" }
}

struct Measured: Sendable {
    let name: String
    let kernel: Kernel
    let run: @Sendable () async throws -> Void
}

/// Gets of a list of topics, one after the other.
func lists(_ what: String, of topicCount: Int, _ origin: Origin, _ count: Int) throws -> [Measured] {
    let kernel = try origin.kernel(topics(topicCount))
    let base = origin.base("\(topicCount)")
    let client = Client(kernel: kernel, settings: ClientSettings(base: base))
    return [
        Measured(name: "\(what), by hand", kernel: kernel) {
            for number in 0..<count {
                let url = "\(base)/boards/swift/topics?page=\(number)"
                let response = try await kernel.send(Request(.get, url)).requireStatus()
                let topics: [Topic] = try await response.decode()
                if topics.isEmpty { exit(1) }
            }
        },
        Measured(name: "\(what), an endpoint", kernel: kernel) {
            for number in 0..<count {
                let topics = try await client.send(TopicList(board: "swift", page: number))
                if topics.isEmpty { exit(1) }
            }
        },
        Measured(name: "\(what), an endpoint with parameters of its own", kernel: kernel) {
            for number in 0..<count {
                let topics = try await client.send(PlainTopicList(board: "swift", page: number))
                if topics.isEmpty { exit(1) }
            }
        },
        Measured(name: "\(what), a call", kernel: kernel) {
            for number in 0..<count {
                let topics = try await client.call(TopicList(board: "swift", page: number)).value
                if topics.isEmpty { exit(1) }
            }
        },
    ]
}

func pings(_ origin: Origin, _ count: Int) throws -> [Measured] {
    let kernel = try origin.kernel(Bytes("pong"))
    let base = origin.base("0")
    let client = Client(kernel: kernel, settings: ClientSettings(base: base))
    return [
        Measured(name: "bytes, by hand", kernel: kernel) {
            for _ in 0..<count {
                let request = Request(.get, "\(base)/ping")
                let response = try await kernel.send(request).requireStatus()
                if try await response.body.collect(upTo: .mebibytes(16)).isEmpty { exit(1) }
            }
        },
        Measured(name: "bytes, an endpoint", kernel: kernel) {
            for _ in 0..<count { if try await client.send(Ping()).isEmpty { exit(1) } }
        },
    ]
}

/// The main thread waits without running tasks: valgrind crashes when it ends, as it does in an asynchronous program.
func runToEnd(_ measured: Measured) {
    let end = DispatchSemaphore(value: 0)
    Task(executorPreference: measured.kernel.executor) {
        do { try await measured.run() } catch { fatalError("\(error)") }
        end.signal()
    }
    end.wait()
}

func write(_ content: Bytes, to file: String) {
    let folder = file[..<(file.lastIndex(of: "/") ?? file.startIndex)]
    var made = ""
    for part in folder.split(separator: "/", omittingEmptySubsequences: false) {
        made += "\(part)/"
        mkdir(made, 0o755)
    }
    guard let stream = fopen(file, "w") else { fatalError("\(file) cannot be written.") }
    content.withUnsafeBytes { _ = fwrite($0.baseAddress, 1, $0.count, stream) }
    fclose(stream)
}

let words = Array(CommandLine.arguments.dropFirst())
func option(_ name: String) -> String? {
    words.firstIndex(of: name).flatMap { $0 + 1 < words.count ? words[$0 + 1] : nil }
}
if let folder = option("--files") {
    for count in [1, 10] { write(topics(count), to: "\(folder)/json/\(count)/boards/swift/topics") }
    write(Bytes("pong"), to: "\(folder)/json/0/ping")
    exit(0)
}
guard let count = words.first.flatMap({ Int($0) }) else {
    fputs("usage: endpoints COUNT [--only NAME] [--server URL] | endpoints --files FOLDER\n", stderr)
    exit(2)
}
let only = option("--only")
let origin = Origin(server: option("--server"))
let all =
    try lists("one topic", of: 1, origin, count) + lists("ten topics", of: 10, origin, count) + pings(origin, count)
if only == nil { print("| a GET of | µs each |\n|---|---:|") }
for measured in all where only == nil || only == measured.name {
    let start = ContinuousClock().now
    runToEnd(measured)
    let elapsed = seconds(ContinuousClock().now - start) * 1e6 / Double(count)
    if only == nil { print("| \(measured.name) | \(rounded(elapsed, 2)) |") }
}
