import PlugboardIndicator
import TestSupport
import Testing

struct IndicatorREADMETests {
    @Test func `the README lists each setting and attribute as the plugin does`() throws {
        let missing = try OptionTable.missing(from: "Indicator", indicatorPlugin())

        #expect(missing == [])
    }

    @Test func `the docstring of each setting and attribute begins with its documentation`() throws {
        let undocumented = try OptionTable.undocumented(in: "Indicator", indicatorPlugin())

        #expect(undocumented == [])
    }
}
