/// Writes numbers and texts one after the other.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    mutating func append(_ byte: UInt8) { bytes.append(byte) }

    mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ view: UnsafeRawBufferPointer) {
        append(UInt32(clamping: view.count))
        bytes.append(contentsOf: view)
    }

    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    mutating func append(_ duration: Duration) {
        append(duration.components.seconds)
        append(duration.components.attoseconds)
    }

    /// Whether there is a value, and then the value.
    mutating func append<Value>(_ optional: Value?, _ write: (inout ByteWriter, Value) -> Void) {
        append(UInt8(optional == nil ? 0 : 1))
        if let optional { write(&self, optional) }
    }
}
