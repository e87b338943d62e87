import PlugboardResume
import TestSupport
import Testing

struct ResumeREADMETests {
    @Test func `the README lists each setting and attribute as the plugin does`() throws {
        let missing = try OptionTable.missing(from: "Resume", resumePlugin())

        #expect(missing == [])
    }

    @Test func `the docstring of each setting and attribute begins with its documentation`() throws {
        let undocumented = try OptionTable.undocumented(in: "Resume", resumePlugin())

        #expect(undocumented == [])
    }
}
