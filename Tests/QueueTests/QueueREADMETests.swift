import PlugboardQueue
import TestSupport
import Testing

struct QueueREADMETests {
    @Test func `the README lists each setting and attribute as the plugin does`() throws {
        let missing = try OptionTable.missing(from: "Queue", queuePlugin())

        #expect(missing == [])
    }

    @Test func `the docstring of each setting and attribute begins with its documentation`() throws {
        let undocumented = try OptionTable.undocumented(in: "Queue", queuePlugin())

        #expect(undocumented == [])
    }
}
