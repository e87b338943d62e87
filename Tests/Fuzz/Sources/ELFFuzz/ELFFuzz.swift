// Feeds the reader of shared objects arbitrary bytes and checks what must hold whatever they are.
import Fuzzing
import PlugboardKit

@testable import PluginLoader

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    checkTime(UnsafeRawBufferPointer(start: start, count: count)) { bytes in
        let object = try? SharedObject(path: "/fuzz.so", bytes: Array(bytes))
        _ = (try? object?.metadata(), try? object?.entry())
    }
    do {
        let object = try SharedObject(path: "/fuzz.so", bytes: bytes)
        checkSegments(object, count: UInt64(count))
        if let metadata = try object.metadata() {
            precondition(!metadata.id.isEmpty && !metadata.id.contains(" "), "an id of no word")
            precondition(!metadata.version.isEmpty && !metadata.version.contains(" "), "a version of no word")
        }
        let entry = try object.entry()
        precondition(entry.hasSuffix("_LTX_plugboard_plugin") && !entry.utf8.contains(0), "an entry of another name")
    } catch {
        precondition(error.code.kind == "loading" && error.reason.contains("/fuzz.so"), "an error that says too little")
    }
    return 0
}

/// What was accepted is mapped from bytes that are there, at every edge.
private func checkSegments(_ object: SharedObject, count: UInt64) {
    for segment in object.segments where segment.type == 1 {
        precondition(segment.fileSize <= count && segment.offset <= count - segment.fileSize)
        for address in [segment.address, segment.address + segment.fileSize] {
            guard let offset = object.offset(of: address, count: 0) else {
                preconditionFailure("a mapped byte is lost")
            }
            precondition(offset <= count)
        }
        for length in [segment.fileSize, .max] {
            if let offset = object.offset(of: segment.address, count: length) {
                precondition(length <= count && offset <= count - length)
            }
        }
    }
}
