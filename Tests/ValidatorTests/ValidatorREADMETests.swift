import PlugboardValidator
import TestSupport
import Testing

struct ValidatorREADMETests {
    @Test func `the README lists each setting and attribute as the plugin does`() throws {
        let missing = try OptionTable.missing(from: "Validator", validatorPlugin())

        #expect(missing == [])
    }

    @Test func `the docstring of each setting and attribute begins with its documentation`() throws {
        let undocumented = try OptionTable.undocumented(in: "Validator", validatorPlugin())

        #expect(undocumented == [])
    }
}
