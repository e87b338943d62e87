import CachePlugin
import TestSupport
import Testing

struct READMETests {
    @Test func `the README lists each setting and attribute as the plugin does`() throws {
        let missing = try OptionTable.missing(from: "Cache", cachePlugin())

        #expect(missing == [])
    }
}
