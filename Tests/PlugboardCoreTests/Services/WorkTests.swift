import Foundation
import Plugboard
import PlugboardEventLoop
import PlugboardKit
import Synchronization
import TestSupport
import Testing

/// Descriptors on the loop, work that blocks, and waits by the kernel's clock.
struct WorkTests {
    private func start(
        _ plugin: ScriptedPlugin, clock: ManualClock? = nil, loops: LoopCount = 1
    ) throws -> (kernel: Kernel, host: PluginHost) {
        let kernel = try makeKernel([plugin], clock: clock) { $0.kernel.loops = loops }
        return (kernel, try #require(plugin.host))
    }

    /// A socket whose other end is the test's; nothing blocks.
    private struct Pair {
        let own: Int32
        let other: Int32

        init() {
            var ends: [Int32] = [-1, -1]
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
            precondition(socketpair(AF_UNIX, kind, 0, &ends) == 0)
            (own, other) = (ends[0], ends[1])
        }

        func send(_ text: String) { precondition(write(other, text, text.utf8.count) == text.utf8.count) }

        /// Whether the other end was closed. Waits, because a process that another test starts has a copy of it for a
        /// moment.
        static func isClosed(_ descriptor: Int32) -> Bool {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&entry, 1, 10_000) == 1 && received(descriptor) == "0"
        }

        static func received(_ descriptor: Int32) -> String {
            var bytes = [UInt8](repeating: 0, count: 100)
            let count = read(descriptor, &bytes, 100)
            return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : "\(count)"
        }
    }

    private final class Tally: Sendable {
        private let count = Atomic(0)

        var value: Int { count.load(ordering: .relaxed) }

        func add() { count.add(1, ordering: .relaxed) }
    }

    // MARK: Descriptors

    @Test func `a descriptor is reported on the loop until it is cancelled, and then released once`() async throws {
        let plugin = ScriptedPlugin("speaker")
        let (kernel, host) = try start(plugin)
        let pair = Pair()
        let (seen, gone) = (AsyncStream.makeStream(of: String.self), AsyncStream.makeStream(of: Bool.self))
        let watch = try #require(
            host.watch(pair.own, for: .read) { _, ready in
                seen.continuation.yield(
                    "\(Pair.received(pair.own)) \(ready.contains(.read)) \(plugin.host?.currentLoop != nil)")
            } released: {
                // First: the test goes on with the other.
                close(pair.own)
                gone.continuation.yield(plugin.host?.currentLoop != nil)
            })
        var lines = seen.stream.makeAsyncIterator()
        var ends = gone.stream.makeAsyncIterator()

        pair.send("one")
        let first = await lines.next()
        pair.send("two")
        let second = await lines.next()
        #expect(watch.cancel() && !watch.cancel() && !watch.change(to: .write))
        let isOnLoop = await ends.next()

        #expect(first == "one true true" && second == "two true true" && isOnLoop == true)
        #expect(Pair.isClosed(pair.other))
        close(pair.other)
        await kernel.shutDown()
    }

    @Test func `what is watched for can change, and a hang-up is told whatever it is`() async throws {
        let plugin = ScriptedPlugin("speaker")
        let (kernel, host) = try start(plugin)
        let pair = Pair()
        let seen = AsyncStream.makeStream(of: PluginHost.Readiness.self)
        let watch = host.watch(pair.own, for: .write) { watch, ready in
            seen.continuation.yield(ready)
            // Else it is ready for writing without end.
            if ready.contains(.write) { watch.change(to: .read) }
            if ready.contains(.broken) { watch.cancel() }
        } released: {
            close(pair.own)
            seen.continuation.finish()
        }
        var states = seen.stream.makeAsyncIterator()
        while let state = await states.next(), !state.contains(.write) {}

        close(pair.other)
        var last: PluginHost.Readiness = []
        while let state = await states.next() { last = state }

        #expect(last.contains(.broken) && watch?.cancel() == false)
        await kernel.shutDown()
    }

    @Test(.timeLimit(.minutes(1)))
    func `the last call says what is watched for, on whatever threads the calls were made`() async throws {
        let plugin = ScriptedPlugin("speaker")
        let (kernel, host) = try start(plugin)
        let pair = Pair()
        let writable = Gate()
        let watch = try #require(
            host.watch(pair.own, for: []) { _, ready in
                if ready.contains(.write) { writable.admit() }
            } released: {
                close(pair.own)
            })

        host.schedule(after: .zero) {
            let called = Gate()
            // It waits in the queue of the loop, which runs this.
            Thread.detachNewThread {
                watch.change(to: .read)
                called.open()
            }
            try? called.wait()
            watch.change(to: .write)
        }

        // More than the loop reports before it comes to its queue.
        try await writable.opened(for: 10)
        watch.cancel()
        await kernel.shutDown()
        close(pair.other)
    }

    @Test func `a descriptor that is watched already is released at once, and a file is broken`() async throws {
        let plugin = ScriptedPlugin("speaker")
        let (kernel, host) = try start(plugin)
        let pair = Pair()
        let file = open("/etc/passwd", O_RDONLY)
        let (released, broken) = (Gate(), Gate())

        let first = host.watch(pair.own, for: .read, { _, _ in })
        let second = host.watch(pair.own, for: .read, { _, _ in }, released: { released.open() })
        let third = host.watch(file, for: .read, { if $1.contains(.broken) { broken.open() } })

        #expect(first != nil && second != nil && third != nil)
        try await released.opened()
        try await broken.opened()
        third?.cancel()
        await kernel.shutDown()
        for descriptor in [pair.own, pair.other, file] { close(descriptor) }
    }

    @Test func `the kernel's end releases what is watched, before the plugin is destroyed; then nothing is watched`()
        async throws
    {
        let plugin = ScriptedPlugin("speaker")
        let (kernel, host) = try start(plugin, loops: 3)
        let pairs = (0..<20).map { _ in Pair() }
        let released = Tally()
        for pair in pairs {
            _ = host.watch(pair.own, for: .read, { _, _ in }, released: { released.add() })
        }

        await kernel.shutDown()

        #expect(released.value == 20)
        #expect(host.watch(pairs[0].own, for: .read, { _, _ in }) == nil)
        for pair in pairs { for end in [pair.own, pair.other] { close(end) } }
    }

    @Test func `watches that begin and end on many threads are all released once`() async throws {
        let plugin = ScriptedPlugin("speaker")
        let (kernel, host) = try start(plugin, loops: 2)
        let begun = Tally()
        let released = Tally()

        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for number in 0..<100 {
                        let pair = Pair()
                        pair.send("x")
                        let watch = host.watch(pair.own, for: [.read, .write], { _, _ in }) {
                            close(pair.own)
                            close(pair.other)
                            released.add()
                        }
                        if watch != nil { begun.add() }
                        watch?.change(to: .read)
                        if number % 3 != 0 { watch?.cancel() }
                    }
                }
            }
        }
        await kernel.shutDown()

        #expect(begun.value == 400 && released.value == 400)
    }

    // MARK: Work that blocks

    @Test func `work runs off the loop, and then what follows runs on it`() async throws {
        let plugin = ScriptedPlugin("worker")
        let (kernel, host) = try start(plugin)
        let places = AsyncStream.makeStream(of: Bool.self)

        host.runBlocking {
            places.continuation.yield(plugin.host?.currentLoop != nil)
        } done: {
            places.continuation.yield(plugin.host?.currentLoop != nil)
        }
        var iterator = places.stream.makeAsyncIterator()

        #expect(await iterator.next() == false)
        #expect(await iterator.next() == true)
        await kernel.shutDown()
    }

    @Test func `more work than there are threads waits, and all of it is done once before the plugin ends`()
        async throws
    {
        let plugin = ScriptedPlugin("worker")
        let (kernel, host) = try start(plugin)
        let worked = Tally()
        let done = Tally()
        let gate = Gate()
        for _ in 0..<200 {
            host.runBlocking {
                try? gate.wait()
                worked.add()
            } done: {
                done.add()
            }
        }

        gate.open()
        await kernel.shutDown()

        #expect(worked.value == 200 && done.value == 200)
        let isTaken = host.runBlocking {}
        #expect(!isTaken)
    }

    @Test func `there is no work and no descriptor before start`() throws {
        let plugin = ScriptedPlugin("early")
        let early = Mutex<[Bool]>([])
        plugin.onCreate = { host in
            early.withLock { $0 = [host.runBlocking {}, host.watch(0, for: .read, { _, _ in }) != nil] }
        }

        let (kernel, _) = try start(plugin)

        #expect(early.withLock { $0 } == [false, false])
        withExtendedLifetime(kernel) {}
    }

    // MARK: Waits

    @Test func `a wait follows the kernel's clock`() async throws {
        let clock = ManualClock()
        let (kernel, host) = try start(ScriptedPlugin("sleeper"), clock: clock)
        let awake = Mutex(false)
        let task = Task {
            try await host.sleep(for: .seconds(3600))
            awake.withLock { $0 = true }
        }
        let cancelled = Task { try await host.sleep(for: .seconds(3600)) }

        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(!awake.withLock { $0 })
        while !awake.withLock({ $0 }) {
            clock.advance(by: .seconds(3600))
            await Task.yield()
        }

        try await task.value
        await kernel.shutDown()
    }

    @Test func `the end of a plugin ends its waits`() async throws {
        let (kernel, host) = try start(ScriptedPlugin("sleeper"))
        let task = Task { try await host.sleep(for: .seconds(3600)) }

        await kernel.shutDown()

        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
