// Feeds arbitrary bytes to the reader of YAML, and checks what must hold whatever they are.
import Fuzzing

@testable import PlugboardJSON
@testable import PlugboardMessages
@testable import PlugboardYAML

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeRawBufferPointer(start: start, count: count)
    checkTimeOfMaking(input) { bytes in
        guard let value = read(Array(bytes)) else { return 0 }
        let text: [UInt8] = JSONWriter.write(value)
        precondition((try? JSONParser.parse(text)) == value, "what was written as JSON does not read back")
        return text.count
    }
    return 0
}

/// The limits are low, so that inputs reach them.
private func read(_ bytes: [UInt8]) -> JSONValue? {
    var limits = YAMLDocument.Limits()
    (limits.values, limits.depth) = (50_000, 100)
    do throws(PlugboardError) {
        return try YAMLDocument.parse(bytes, limits: limits)
    } catch {
        precondition(error.code == .configuration && !error.reason.isEmpty, "\(error)")
        return nil
    }
}
