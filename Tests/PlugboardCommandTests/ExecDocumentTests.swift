import Foundation
import Testing

@testable import PlugboardCommand

/// The tables of Documentation/exec.md, held against the code.
struct ExecDocumentTests {
    private let page: String

    init() throws {
        let path = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../Documentation/exec.md")
        page = try String(contentsOf: path.standardizedFileURL, encoding: .utf8)
    }

    @Test func `every field of a line is in a table`() {
        let nested = [
            "retry": DriverRequest.retryFields, "download": DriverRequest.downloadFields,
            "validate": DriverRequest.validateFields,
        ]

        let fields = DriverRequest.fields.flatMap { field in nested[field]?.map { "\(field).\($0)" } ?? [field] }

        #expect(fields.count > 20)
        for field in fields { #expect(page.contains("`\(field)`"), "\(field)") }
    }

    @Test func `every kind of error and every operation is in a table`() {
        for kind in DriverError.Kind.allCases { #expect(page.contains("\n| `\(kind.rawValue)` | "), "\(kind)") }
        for operation in Driver.operations { #expect(page.contains("\n| `\(operation)` | "), "\(operation)") }
    }

    @Test func `retry.max has no default of its own`() {
        #expect(page.contains("| `retry.max` | integer | | "))
    }
}
