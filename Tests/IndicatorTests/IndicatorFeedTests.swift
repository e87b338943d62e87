import Testing

@testable import PlugboardIndicatorOptions

struct IndicatorFeedTests {
    @Test func `a reader that has ended, and a callback that was removed, are forgotten`() async throws {
        let feed = IndicatorFeed()
        let before = feed.listenerCount
        let remove = feed.onFact { _ in }
        let reader = Task { for await _ in feed.facts {} }
        while feed.listenerCount < 2 { await Task.yield() }

        remove()
        reader.cancel()
        await reader.value

        #expect(before == 0 && feed.listenerCount == 0)
    }
}
