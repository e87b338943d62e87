// Work that keeps processors busy, on several loops: requests a second, and CPU time of each.
//
//     loops WORK COUNT SECONDS FILE.gz      WORK: small, default, digest, decode
//
// The transport is in the process, so that no server uses a processor. `small`, `digest` and `decode` send from tasks
// on the loops, `default` from tasks in the pool that all tasks share.
import Glibc
import Plugboard
import PlugboardKit
import Synchronization
import measuring

/// Goes through a body byte by byte (FNV-1a), as a plugin that checks a digest does.
private struct Digest: BodyTransformer {
    static let keepsLength = true
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func transform(_ piece: UnsafeRawBufferPointer, into output: inout [UInt8]) {
        for byte in piece { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        output.append(contentsOf: piece)
    }
}

private struct Digesting: Plugin {
    static let manifest = Manifest(
        id: "digesting", version: "1.0.0", documentation: "Reads bodies.", priority: 500, hooks: [.response])

    init(settings: NoSettings, host: PluginHost) throws {}

    func onResponse(_ exchange: borrowing Exchange) -> ResponseVerdict {
        exchange.transformResponseBody { Digest() }
        return .next
    }
}

private let words = CommandLine.arguments
guard words.count == 5, let count = Int(words[2]), let time = Double(words[3]) else {
    print("usage: loops small|default|digest|decode COUNT SECONDS FILE.gz")
    exit(2)
}
private let work = words[1]

private let packed = try await Body.file(words[4]).collect(upTo: .mebibytes(16))
private let transport: InstantTransport
private var configuration = Configuration()
private var plugins: [PluginEntry] = []
switch work {
case "decode":
    transport = InstantTransport(["Content-Encoding": "gzip", "Content-Type": "application/json"], body: packed)
    plugins = [.linked(Digesting.self), PluginEntry("decode")]
case "digest":
    transport = InstantTransport(Fields(), body: Bytes([UInt8](repeating: 120, count: 64 << 10)))
    plugins = [.linked(Digesting.self)]
default:
    transport = InstantTransport(Fields(), body: Bytes([UInt8](repeating: 120, count: 34)))
    plugins = ["decode", "redirect", "authentication", "cookies", "retry"]
}
configuration.kernel.loops = LoopCount(count)
private let kernel = try Kernel(configuration: configuration, plugins: plugins, transport: transport, log: .silent)

/// Sends until the time is over; returns how many requests were sent.
@Sendable private func send(until end: ContinuousClock.Instant) async throws -> Int {
    var sent = 0
    while ContinuousClock.now < end {
        for _ in 0..<16 {
            let response = try await kernel.send(Request(.get, "http://origin.test/"))
            guard try await response.body.collect(upTo: .mebibytes(16)).count > 0 else { exit(1) }
            sent += 1
        }
    }
    return sent
}

private func run(for time: Double) async throws -> Int {
    let end = ContinuousClock.now + .seconds(time)
    return try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<64 {
            if work == "default" {
                group.addTask { try await send(until: end) }
            } else {
                let executor = kernel.executors[number % kernel.executors.count]
                group.addTask(executorPreference: executor) { try await send(until: end) }
            }
        }
        return try await group.reduce(0, +)
    }
}

_ = try await run(for: 0.3)
private let (began, used) = (ContinuousClock.now, cpuTime())
private let sent = try await run(for: time)
private let took = seconds(ContinuousClock.now - began)
print("\(rounded(Double(sent) / took, 0)) \(rounded((cpuTime() - used) / Double(sent)))")
await kernel.shutDown()
