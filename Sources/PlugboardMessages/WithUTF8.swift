/// Calls `body` with a text in UTF-8, without a copy if its memory is contiguous.
@inlinable
@inline(__always)
package func withUTF8<Result>(_ text: String, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    // Needs no reference, unlike a copy that may change.
    if let result = text.utf8.withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) }) { return result }
    var text = text
    return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
}
