import CookiesPlugin
import TestSupport
import Testing

struct CookiesREADMETests {
    @Test func `the README lists each setting and attribute as the plugin does`() throws {
        let missing = try OptionTable.missing(from: "Cookies", cookiesPlugin())

        #expect(missing == [])
    }

    @Test func `each attribute's docstring begins with its documentation`() throws {
        let undocumented = try OptionTable.undocumented(in: "Cookies", cookiesPlugin())

        #expect(undocumented == [])
    }
}
