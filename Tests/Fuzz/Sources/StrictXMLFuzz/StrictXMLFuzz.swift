// Feeds arbitrary bytes to the reader of XML that Metalink documents are read with, and checks what must hold whatever
import Fuzzing
import PlugboardMessages

@testable import PlugboardDownloads

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeRawBufferPointer(start: start, count: count)
    checkTime(input) { _ = try? StrictXML.read(Array($0)) }
    let bytes = Array(input)
    guard let root = try? StrictXML.read(bytes) else { return 0 }
    let size = check(root)
    precondition(size <= bytes.count, "an element has more than was read")
    // The last byte of a document, but for space and comments after it, ends its root.
    if let end = bytes.lastIndex(of: UInt8(ascii: ">")), !bytes.suffix(3).elementsEqual("-->".utf8) {
        precondition((try? StrictXML.read(Array(bytes[..<end]))) == nil, "a document without its end is read")
    }
    return 0
}

/// The bytes of names, texts and values; an entity is longer than the character that it stands for.
private func check(_ element: StrictXML.Element) -> Int {
    precondition(!element.name.isEmpty, "an element has no name")
    precondition(Set(element.attributes.map(\.name)).count == element.attributes.count, "an attribute stands twice")
    let own =
        element.name.utf8.count + element.text.count
        + element.attributes.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    return element.children.reduce(own) { $0 + check($1) }
}
