import Plugboard
import Testing

@testable import PlugboardCore

struct KernelLogTests {
    @Test func `what is logged cannot steer a terminal or forge a line`() {
        let text = KernelLog.standardErrorText(
            .warning, "cache", "red \u{1B}[31m\r\n\u{202E}x\nplugboard: error: forged\n    indented")

        #expect(
            text == """
                plugboard: warning: cache: red \\u{1B}[31m\\u{D}\\u{A}\\u{202E}x
                    plugboard: error: forged
                    indented

                """)
    }
}
