import PlugboardLimit
import TestSupport
import Testing

struct LimitREADMETests {
    @Test func `the README lists each setting and attribute as the plugin does`() throws {
        let missing = try OptionTable.missing(from: "Limit", limitPlugin())

        #expect(missing == [])
    }

    @Test func `the docstring of each setting and attribute begins with its documentation`() throws {
        let undocumented = try OptionTable.undocumented(in: "Limit", limitPlugin())

        #expect(undocumented == [])
    }
}
