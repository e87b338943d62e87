// Feeds arbitrary bytes to the codec of property lists, and checks what must hold whatever they are.
import FoundationEssentials
import Fuzzing
import PlugboardMessages

@testable import PlugboardPropertyList

private struct Topic: Codable {
    var title: String?
    var count: Int?
    var small: UInt8?
    var score: Double?
    var created: Date?
    var image: Data?
    var isOpen: Bool?
    var labels: [String]?
    var parts: [String: Double]?
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeRawBufferPointer(start: start, count: count)
    checkTime(input) { _ = try? PropertyList.json(from: Bytes(copying: $0)) }
    let bytes = Bytes(copying: input)
    for type in [nil, "application/x-plist; charset=iso-8859-1"] {
        guard let topic = try? PropertyListCodec().decode(Topic.self, from: bytes, contentType: type) else { continue }
        for format in [PropertyListCodec.Format.xml, .binary] {
            _ = try? PropertyListCodec(format: format).encode(topic)
        }
    }
    return 0
}
