// Feeds arbitrary bytes to the readers of endpoint definitions and of OpenAPI documents (those of endpoints, and those
// of the plugin validator), calls what they accept, and checks what must hold whatever they are.
import Fuzzing
import PlugboardJSON
import PlugboardKit

@testable import PlugboardEndpoints
@testable import PlugboardValidator

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    checkTime(bytes) { _ = Definitions.check($0) }
    let check = Definitions.check(bytes)
    precondition((check.definitions == nil) == !check.errors.isEmpty, "neither definitions nor an error")
    let lines = 1 + bytes.count { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    precondition(check.errors.count <= 100)
    for error in check.errors {
        precondition((1...lines).contains(error.line ?? 0) && (error.column ?? 0) >= 1, "an error has no position")
    }
    if let definitions = check.definitions { checkDefinitions(definitions) }
    checkTime(bytes) { checkOperations($0) }
    return 0
}

/// What was accepted has names and methods that can be sent, and says where it leads.
private func checkDefinitions(_ definitions: Definitions) {
    for name in definitions.names.prefix(50) {
        guard let definition = definitions[name] else { preconditionFailure("a definition is not found by its name") }
        precondition(definition.path != nil, "a definition without a path can be called")
        precondition(definition.method.isValid, "a method cannot be sent")
        precondition(Set(definition.parameters.map(\.name)).count == definition.parameters.count)
        _ = definition.urlTemplate
        _ = definition.renamed("other")
    }
}

/// The reader of the plugin validator accepts a document or names an error, and finds an operation by a URL.
private func checkOperations(_ bytes: UnsafeRawBufferPointer) {
    guard let value = try? JSONParser.parse(bytes), let document = try? OpenAPIDocument(value, number: 0) else {
        return
    }
    precondition(document.documents().count == 2)
    let index = OpenAPIIndex([document])
    for operation in document.operations.prefix(20) {
        let path = operation.segments.map { $0.text.replacing("*", with: "x") }
        for status in [nil, 200, 404] {
            let found = index.schema(
                method: operation.method, url: "http://a.test/\(path.joined(separator: "/"))", status: status,
                type: "application/json")
            guard let found else { continue }
            precondition((try? JSONParser.parse(found.text)) != nil, "a schema is not JSON")
        }
    }
}
