/// Calls `body` with a text in UTF-8, without a copy if its memory is contiguous.
@inlinable
@inline(__always)
package func withUTF8<Result>(_ text: String, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    var text = text
    return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
}
