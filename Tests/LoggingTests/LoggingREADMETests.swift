import PlugboardLogging
import TestSupport
import Testing

struct LoggingREADMETests {
    @Test func `the README lists each setting and attribute as the plugin does`() throws {
        let missing = try OptionTable.missing(from: "Logging", loggingPlugin())

        #expect(missing == [])
    }

    @Test func `the docstring of each setting and attribute begins with its documentation`() throws {
        let undocumented = try OptionTable.undocumented(in: "Logging", loggingPlugin())

        #expect(undocumented == [])
    }
}
