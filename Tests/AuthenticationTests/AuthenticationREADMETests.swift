import AuthenticationPlugin
import TestSupport
import Testing

struct AuthenticationREADMETests {
    @Test func `the README lists each setting and attribute as the plugin does`() throws {
        let missing = try OptionTable.missing(from: "Authentication", authenticationPlugin())

        #expect(missing == [])
    }

    @Test func `each attribute's docstring begins with its documentation`() throws {
        let undocumented = try OptionTable.undocumented(in: "Authentication", authenticationPlugin())

        #expect(undocumented == [])
    }
}
