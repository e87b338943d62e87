import Foundation
import Plugboard
import PlugboardKit
import PlugboardTransport
import Synchronization
import TestSupport
import Testing

@testable import PlugboardIndicator

/// The plugin on several loops at once.
struct IndicatorLoopsTests {
    @Test(arguments: Linkage.allCases)
    func `facts are published in the order in which they happen, on whatever loops`(linkage: Linkage) async throws {
        let clock = ManualClock()
        let feed = IndicatorFeed()
        let kinds = Mutex<[IndicatorFact.Kind]>([])
        let states = Mutex<[Bool]>([])
        let (isShown, hasEnded, isHidden) = (Gate(), Gate(), Gate())
        feed.onFact { fact in
            kinds.withLock { $0.append(fact.kind) }
            if fact.kind == .shown || fact.kind == .hidden { states.withLock { $0.append(feed.isShown) } }
            if fact.kind == .hidden { isHidden.open() }
        }
        let slow = ScriptedPlugin("slow", priority: 500)
        slow.events = ["indicator.shown"]
        slow.onEvent = { event, _ in
            guard event.is("indicator.shown") else { return }
            isShown.open()
            // Another loop ends the last request meanwhile.
            try? hasEnded.wait(for: 2, timeout: .seconds(30))
        }
        let transport = MockTransport { _, _ in .silence }
        let kernel = try linkage.kernel(
            indicatorPlugin(), transport, clock: clock, settings: ["terminal": "off"], beside: [slow],
            { $0.kernel.loops = 2 }, watch: { feed.receive($0) })
        // Called after the plugins.
        let watch: @Sendable (ObservedEvent) -> Void = { if $0.kernelEvent == .completed { hasEnded.admit() } }

        // The first loop has the timer; the second one has the request that is shown.
        let first = kernel.begin(Request(.get, "http://a.test/"), watch: watch)
        try await transport.began.opened(for: 1)
        let second = kernel.begin(Request(.get, "http://a.test/"), watch: watch)
        try await transport.began.opened(for: 2)
        first.cancel()
        try await hasEnded.opened(for: 1)
        clock.advance(by: .milliseconds(300))
        try await isShown.opened()
        second.cancel()
        _ = try? await second.response
        try await isHidden.opened()

        #expect(kinds.withLock { $0.filter { $0 == .shown || $0 == .hidden } } == [.shown, .hidden])
        #expect(states.withLock { $0 } == [true, false] && !feed.isShown && feed.active.isEmpty)
        await kernel.shutDown(within: .zero)
    }
}
