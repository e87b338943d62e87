import Foundation
import TestSupport
import Testing

@testable import PlugboardRetry

struct RetryREADMETests {
    private let text: String

    init() throws {
        let readme = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../Plugins/Retry/README.md")
        text = try String(contentsOf: readme.standardizedFileURL, encoding: .utf8)
    }

    @Test func `the README lists each setting and attribute as the plugin does`() throws {
        let missing = try OptionTable.missing(from: "Retry", retryPlugin())

        #expect(missing == [])
    }

    @Test func `the docstring of each setting and attribute begins with its documentation`() throws {
        let undocumented = try OptionTable.undocumented(in: "Retry", retryPlugin())

        #expect(undocumented == [])
    }

    @Test(arguments: RetryPolicy.Reason.allCases)
    func `the README says what each reason to give up means`(reason: RetryPolicy.Reason) {
        #expect(text.contains("| `\(reason.rawValue)` |"))
    }

    @Test(arguments: RetryPolicy.transientFailures.map(\.name).sorted())
    func `the README names each failure that may be repeated`(name: String) {
        #expect(text.contains("`\(name)`"))
    }
}
