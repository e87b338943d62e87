import PlugboardAuthentication
import TestSupport
import Testing

struct AuthenticationREADMETests {
    @Test func `the README lists each setting and attribute as the plugin does`() throws {
        let missing = try OptionTable.missing(from: "Authentication", authenticationPlugin())

        #expect(missing == [])
    }

    @Test func `the docstring of each setting and attribute begins with its documentation`() throws {
        let undocumented = try OptionTable.undocumented(in: "Authentication", authenticationPlugin())

        #expect(undocumented == [])
    }
}
