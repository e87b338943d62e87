import Testing

@testable import RetryPlugin

@Suite struct RetryTests {
    @Test func `the plugin has its id`() {
        #expect(Retry.manifest.id == "retry")
    }
}
