import PlugboardCookies
import TestSupport
import Testing

struct CookiesREADMETests {
    @Test func `the README lists each setting and attribute as the plugin does`() throws {
        let missing = try OptionTable.missing(from: "Cookies", cookiesPlugin())

        #expect(missing == [])
    }

    @Test func `the docstring of each setting and attribute begins with its documentation`() throws {
        let undocumented = try OptionTable.undocumented(in: "Cookies", cookiesPlugin())

        #expect(undocumented == [])
    }
}
