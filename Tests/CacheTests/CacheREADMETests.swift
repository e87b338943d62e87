import PlugboardCache
import TestSupport
import Testing

struct CacheREADMETests {
    @Test func `the README lists each setting and attribute as the plugin does`() throws {
        let missing = try OptionTable.missing(from: "Cache", cachePlugin())

        #expect(missing == [])
    }

    @Test func `the docstring of each setting and attribute begins with its documentation`() throws {
        let undocumented = try OptionTable.undocumented(in: "Cache", cachePlugin())

        #expect(undocumented == [])
    }
}
