/// Fields that are added line by line, in memory that is used again for those of the next message: a line is copied,
/// and nothing is allocated until `take`.
///
/// Plain memory, which its one owner releases with `deallocate`.
package struct FieldBuffer {
    /// The most bytes that are kept for the next message; larger memory is released.
    private static let keptRoom = 16 << 10

    private var bytes = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var byteCount = 0
    private var entries = UnsafeMutableBufferPointer<Fields.Entry>(start: nil, count: 0)
    /// The number of fields.
    package private(set) var count = 0

    /// No fields and no memory.
    package init() {}

    /// Whether there are no fields.
    package var isEmpty: Bool { count == 0 }

    /// Releases the memory; called once, when the buffer is no longer used.
    package func deallocate() {
        bytes.deallocate()
        entries.deallocate()
    }

    /// Adds the field of a line that holds both its name and its value, in these ranges of offsets.
    @inline(__always)
    package mutating func append(line: UnsafeRawBufferPointer, name: Range<Int>, value: Range<Int>) {
        let start = add(line)
        let isSecret = Fields.isAlwaysSecret(UnsafeRawBufferPointer(rebasing: line[name]))
        if count == entries.count { growEntries() }
        entries.initializeElement(
            at: count,
            to: Fields.Entry(
                name: Fields.Entry.range(name, from: start), value: Fields.Entry.range(value, from: start),
                isSecret: isSecret))
        count &+= 1
    }

    /// Appends to the value of the last field, after a space if the value is not empty. Copies no other field.
    package mutating func extendLast(_ rest: UnsafeRawBufferPointer) {
        guard count > 0, !rest.isEmpty else { return }
        let last = entries[count - 1].value
        var start = Int(last.lowerBound)
        if Int(last.upperBound) != byteCount {
            makeRoom(last.count)
            start = add(UnsafeRawBufferPointer(rebasing: bytes[Int(last.lowerBound)..<Int(last.upperBound)]))
        }
        if !last.isEmpty { StaticString(" ").withUTF8Buffer { _ = add(UnsafeRawBufferPointer($0)) } }
        _ = add(rest)
        entries[count - 1].value = Fields.Entry.range(0..<byteCount - start, from: start)
    }

    /// Calls `body` with the name of the last field; the pointer is valid until `body` returns. Nil without a field.
    package func withLastName<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
        guard count > 0 else { return nil }
        let name = entries[count - 1].name
        return body(UnsafeRawBufferPointer(rebasing: bytes[Int(name.lowerBound)..<Int(name.upperBound)]))
    }

    /// Removes all fields, and keeps the memory unless it is large.
    package mutating func removeAll() {
        (byteCount, count) = (0, 0)
        if bytes.count + entries.count * MemoryLayout<Fields.Entry>.stride > FieldBuffer.keptRoom {
            deallocate()
            self = FieldBuffer()
        }
    }

    /// Returns the fields, and removes them here.
    package mutating func take() -> Fields {
        var fields = Fields()
        if count > 0 {
            let storage = FieldStorage.make(room: count, byteRoom: byteCount)
            storage.withEntries { start, count in
                start.initialize(from: UnsafePointer(entries.baseAddress.unsafelyUnwrapped), count: self.count)
                count = self.count
            }
            _ = storage.add(UnsafeRawBufferPointer(rebasing: bytes[..<byteCount]))
            fields.storage = storage
        }
        removeAll()
        return fields
    }

    /// Returns the offset at which the piece was added.
    @inline(__always)
    private mutating func add(_ piece: UnsafeRawBufferPointer) -> Int {
        let start = byteCount
        guard let from = piece.baseAddress, piece.count > 0 else { return start }
        if piece.count > bytes.count &- start { makeRoom(piece.count) }
        bytes.baseAddress?.advanced(by: start).copyMemory(from: from, byteCount: piece.count)
        byteCount &+= piece.count
        return start
    }

    @inline(never)
    private mutating func makeRoom(_ room: Int) {
        guard room > bytes.count - byteCount else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(2 * (byteCount + room), 1024), alignment: 1)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<byteCount]))
        bytes.deallocate()
        bytes = larger
    }

    @inline(never)
    private mutating func growEntries() {
        let larger = UnsafeMutableBufferPointer<Fields.Entry>.allocate(capacity: max(2 * count, 16))
        _ = larger.moveInitialize(fromContentsOf: UnsafeMutableBufferPointer(rebasing: entries[..<count]))
        entries.deallocate()
        entries = larger
    }
}
