// Feeds arbitrary bytes to the codec of XML, and checks what must hold whatever they are.
import Fuzzing
import PlugboardMessages

@testable import PlugboardXML

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeRawBufferPointer(start: start, count: count)
    // The first byte chooses the content type, and the others are the document.
    let types = [nil, "a/b; charset=utf-16", "a/b; charset=iso-2022-jp", "a/b; charset=big5"]
    let type = types[Int(input.first ?? 0) % types.count]
    let document = UnsafeRawBufferPointer(rebasing: input.dropFirst())
    checkTime(document) { _ = read(Bytes(copying: $0), type) }
    guard let tree = read(Bytes(copying: document), type) else { return 0 }
    precondition(depth(tree) <= 256, "a document is nested deeper than the limit")
    // Names with rarer letters are read and not written.
    if let written = try? XMLCodec().encode(tree) {
        precondition(read(written, nil) == tree, "a document is read otherwise after it was written")
    }
    return 0
}

private func read(_ bytes: Bytes, _ type: String?) -> XMLTree? {
    do throws(PlugboardError) {
        return try XMLCodec().decode(XMLTree.self, from: bytes, contentType: type)
    } catch {
        precondition(error.code == .bodyDecode && !error.reason.isEmpty, "\(error)")
        return nil
    }
}

private func depth(_ tree: XMLTree) -> Int { 1 + (tree.children.map(depth).max() ?? 0) }
