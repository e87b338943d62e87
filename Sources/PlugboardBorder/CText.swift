import CPlugboard

extension plug_text {
    /// The bytes in place.
    @inlinable
    package var buffer: UnsafeRawBufferPointer {
        guard let bytes, count > 0 else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(start: bytes, count: Int(clamping: count))
    }

    /// A copy as a string, read as UTF-8 if it is valid UTF-8, else as ISO 8859-1.
    package var string: String { Fields.text(buffer) }

    /// Whether the bytes are those of a text.
    @_disfavoredOverload
    package func isEqual(_ text: String) -> Bool {
        withUTF8(text) { buffer.isEqual(to: $0) }
    }

    /// Whether the bytes are those of a text of the program.
    @inlinable
    package func isEqual(_ text: StaticString) -> Bool {
        // The count first, because most texts that a plugin compares differ in it.
        guard count == UInt64(text.utf8CodeUnitCount) else { return false }
        guard let bytes else { return count == 0 }
        let expected = text.utf8Start
        for index in 0..<text.utf8CodeUnitCount where bytes[index] != CChar(bitPattern: expected[index]) {
            return false
        }
        return true
    }

    /// Whether the bytes begin with those of a text.
    package func hasPrefix(_ text: String) -> Bool {
        withUTF8(text) { text in
            let buffer = buffer
            guard buffer.count >= text.count else { return false }
            for index in 0..<text.count where buffer[index] != text[index] { return false }
            return true
        }
    }

    /// A copy as a string, or nil for {NULL, 0}.
    package var optionalString: String? { bytes == nil ? nil : string }

    /// A view of memory; valid as long as the memory.
    @inlinable
    package init(_ buffer: UnsafeRawBufferPointer) {
        self.init(
            bytes: buffer.baseAddress?.assumingMemoryBound(to: CChar.self), count: UInt64(buffer.count))
    }

    /// A copy that is never released, for descriptors, which are made once for each type.
    package init(immortal string: String) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(string.utf8.count, 1), alignment: 1)
        memory.copyBytes(from: string.utf8)
        self.init(UnsafeRawBufferPointer(rebasing: memory[..<string.utf8.count]))
    }
}

/// Calls `body` with a string as a C text, which is valid during the call.
@inlinable
@inline(__always)
package func withText<Result>(_ string: String, _ body: (plug_text) -> Result) -> Result {
    withUTF8(string) { body(plug_text($0)) }
}

/// Calls `body` with names and values as an array of C fields, which is valid during the call.
package func withCFields<Result>(
    _ fields: Fields, _ body: (UnsafePointer<plug_field>?, UInt64) -> Result
) -> Result {
    if fields.isEmpty { return body(nil, 0) }
    return fields.withViews({ plug_field(name: plug_text($0), value: plug_text($1)) }) {
        body($0.baseAddress, UInt64($0.count))
    }
}

/// Copies C fields.
package func makeFields(_ fields: UnsafePointer<plug_field>?, _ count: UInt64) -> Fields {
    var copy = Fields()
    let fields = UnsafeBufferPointer(start: fields, count: fields == nil ? 0 : Int(clamping: count))
    copy.reserve(fields: fields.count, bytes: fields.reduce(0) { $0 + $1.name.buffer.count + $1.value.buffer.count })
    for field in fields {
        copy.append(field.name.buffer, field.value.buffer)
    }
    return copy
}
