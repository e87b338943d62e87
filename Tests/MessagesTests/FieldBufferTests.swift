import PlugboardMessages
import Testing

@Suite struct `Fields that arrive line by line` {
    @Test func `are taken with their names and values, and the buffer is empty`() {
        var buffer = FieldBuffer()
        defer { buffer.deallocate() }
        buffer.add("A: 1")
        buffer.add("Set-Cookie: b=c")

        let taken = buffer.take()

        #expect(taken.map(\.name) == ["A", "Set-Cookie"])
        #expect(taken.map(\.value) == ["1", "b=c"])
        #expect(taken.map(\.isSecret) == [false, true])
        #expect(buffer.isEmpty)
        #expect(buffer.take().isEmpty)
    }

    @Test func `leave nothing of one message in the next, whatever their sizes`() {
        var buffer = FieldBuffer()
        defer { buffer.deallocate() }
        for count in [1, 40, 3, 2000, 5, 17] {
            let values = (0..<count).map { "\(count) \($0)" }
            for value in values { buffer.add("X-Name: \(value)") }

            #expect(buffer.count == count)
            #expect(buffer.take().map(\.value) == values)
        }
    }

    @Test func `stay as they were taken when the buffer is used again`() {
        var buffer = FieldBuffer()
        defer { buffer.deallocate() }
        buffer.add("A: 1")
        let first = buffer.take()
        buffer.add("B: 22")

        #expect(first.map(\.value) == ["1"])
        #expect(buffer.take().map(\.name) == ["B"])
    }

    @Test func `can have their last value extended, again and again`() {
        var buffer = FieldBuffer()
        defer { buffer.deallocate() }
        for line in ["A: 1", "B: ", "C: 2  "] {
            buffer.add(line)
            for word in ["x", "", "y"] { word.utf8.withContiguousStorageIfAvailable { buffer.extendLast(.init($0)) } }
        }

        #expect(buffer.withLastName { String(decoding: $0, as: UTF8.self) } == "C")
        #expect(buffer.take().map(\.value) == ["1 x y", "x y", "2 x y"])
    }

    @Test func `have no last one in an empty buffer`() {
        var buffer = FieldBuffer()
        [0x78 as UInt8].withUnsafeBytes { buffer.extendLast($0) }

        #expect(buffer.withLastName { _ in true } == nil)
        #expect(buffer.take().isEmpty)
    }
}

extension FieldBuffer {
    /// A line as a reader of heads adds it: without the white space around the value.
    fileprivate mutating func add(_ line: String) {
        let bytes = Array(line.utf8)
        let colon = bytes.firstIndex(of: 0x3A) ?? bytes.count
        let end = (bytes.lastIndex { $0 != 0x20 } ?? 0) + 1
        bytes.withUnsafeBytes { append(line: $0, name: 0..<colon, value: min(colon + 2, end)..<end) }
    }
}
