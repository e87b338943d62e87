extension String {
    /// Whether both are the same sequence of code points. `==` would also equate canonically equivalent texts.
    package func hasSameUTF8(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let same = utf8.withContiguousStorageIfAvailable { left in
            other.utf8.withContiguousStorageIfAvailable { right in
                UnsafeRawBufferPointer(left).hasSameBytes(as: UnsafeRawBufferPointer(right))
            }
        }
        return (same ?? nil) ?? utf8.elementsEqual(other.utf8)
    }

    /// Consistent with `hasSameUTF8(as:)`.
    package func hashUTF8(into hasher: inout Hasher) {
        let hashed: Void? = utf8.withContiguousStorageIfAvailable {
            hasher.combine(bytes: UnsafeRawBufferPointer($0))
        }
        if hashed == nil {
            Array(utf8).withUnsafeBytes { hasher.combine(bytes: $0) }
        }
        // Marks the end of the text, so that ["ab", "c"] and ["a", "bc"] differ.
        hasher.combine(0xFF as UInt8)
    }

    /// A key as errors print it: quoted, escaped, and shortened to 40 characters.
    package var quotedForError: String {
        let shown = unicodeScalars.prefix(40).reduce(into: "") { text, scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: text += scalar.escaped(asASCII: true)
            default: text.unicodeScalars.append(scalar)
            }
        }
        return "\"\(shown)\(unicodeScalars.dropFirst(40).isEmpty ? "" : "…")\""
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        var offset = 0
        while offset &+ 8 <= count {
            let left = loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            guard left == other.loadUnaligned(fromByteOffset: offset, as: UInt64.self) else { return false }
            offset &+= 8
        }
        while offset < count {
            guard self[offset] == other[offset] else { return false }
            offset &+= 1
        }
        return true
    }
}
