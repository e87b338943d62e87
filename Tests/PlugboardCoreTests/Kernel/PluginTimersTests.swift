import Plugboard
import PlugboardEventLoop
import TestSupport
import Testing

@testable import PlugboardCore

/// The timers of plugins, without plugins.
struct PluginTimersTests {
    private let clock = ManualClock()
    private let loop: EventLoop
    private let timers: PluginTimers

    init() throws {
        loop = try EventLoop(name: "timers", clock: clock)
        timers = PluginTimers(loop: loop)
    }

    private final class Token: Sendable {}

    /// Runs on the loop, after all jobs that were enqueued before.
    private func onLoop<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            loop.enqueue { continuation.resume(returning: body()) }
        }
    }

    /// Starts a timer for this place that holds a token until it is over.
    private func start(of place: Int, _ record: Record) -> (number: UInt64, token: () -> Token?) {
        let token = Token()
        let number = timers.start(of: place, after: 1_000_000_000) {
            withExtendedLifetime(token) { record.add("\(place) fired") }
        }
        return (number, { [weak token] in token })
    }

    @Test(arguments: [true, false])
    func `one that is cancelled is let go of at once, not when it is due`(isOnLoop: Bool) async {
        defer { loop.stop() }
        let (number, token) = start(of: 0, Record())
        await onLoop {}
        #expect(token() != nil)

        let timers = timers
        let isCancelled = isOnLoop ? await onLoop { timers.cancel(number) } : timers.cancel(number)
        let isCancelledTwice = timers.cancel(number)
        await onLoop {}

        #expect(isCancelled && !isCancelledTwice)
        #expect(token() == nil)
    }

    @Test func `one that is cancelled before the loop knows it never fires`() async {
        defer { loop.stop() }
        let record = Record()

        let (number, token) = start(of: 0, record)
        let isCancelled = timers.cancel(number)
        clock.advance(by: .seconds(2))
        await onLoop {}
        await onLoop {}

        #expect(isCancelled && record.lines.isEmpty)
        #expect(token() == nil)
    }

    @Test func `those of one plugin stop, later ones too, and no others`() async {
        defer { loop.stop() }
        let record = Record()
        let (first, token) = start(of: 3, record)
        _ = start(of: 4, record)

        let timers = timers
        await onLoop { timers.stop(of: 3) }
        let (second, _) = start(of: 3, record)
        await onLoop {}
        let isCancelled = [timers.cancel(first), timers.cancel(second)]
        clock.advance(by: .seconds(2))
        await onLoop {}
        await onLoop {}

        #expect(isCancelled == [false, false])
        #expect(token() == nil)
        #expect(record.lines == ["4 fired"])
    }

    @Test func `those without a time to wait still fire for a plugin that was stopped`() async {
        defer { loop.stop() }
        let record = Record()

        let timers = timers
        await onLoop {
            _ = timers.start(of: 3, after: 0) { record.add("before") }
            timers.stop(of: 3)
        }
        _ = timers.start(of: 3, after: -1) { record.add("after") }
        await onLoop {}
        await onLoop {}

        #expect(record.lines == ["before", "after"])
    }

    @Test func `after all timers are stopped none fires, and none can be cancelled`() async {
        defer { loop.stop() }
        let record = Record()
        let (number, _) = start(of: 0, record)
        await onLoop {}

        timers.stopAll()
        clock.advance(by: .seconds(2))
        await onLoop {}
        await onLoop {}

        #expect(record.lines.isEmpty)
        #expect(!timers.cancel(number))
    }

    @Test func `none starts when the loop has ended`() {
        loop.stop()

        let (number, token) = start(of: 0, Record())

        #expect(number == 0)
        #expect(token() == nil)
    }

    @Test(arguments: [true, false])
    func `the time counts from the call, also if the loop comes to it later`(isOnLoop: Bool) async {
        defer { loop.stop() }
        let record = Record()
        let (timers, clock) = (timers, clock)
        let start: @Sendable () -> Void = {
            _ = timers.start(of: 0, after: 1_000_000_000) { record.add("fired") }
            clock.advance(by: .seconds(1))
        }

        if isOnLoop {
            await onLoop(start)
        } else {
            let gate = Gate()
            loop.enqueue { try? gate.wait() }
            start()
            gate.open()
        }
        await onLoop {}
        await onLoop {}

        #expect(record.lines == ["fired"])
    }
}
