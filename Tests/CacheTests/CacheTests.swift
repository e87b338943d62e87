import Testing

@testable import CachePlugin

@Suite struct CacheTests {
    @Test func `the plugin has its id`() {
        #expect(Cache.manifest.id == "cache")
    }
}
