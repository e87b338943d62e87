import PlugboardMessages
import Synchronization
import Testing

struct BytesTests {
    private let digits = Bytes("0123456789")

    @Test(arguments: [
        (0..<10, "0123456789"), (2..<5, "234"), (8..<100, "89"), (-5..<2, "01"), (-9 ..< -1, ""), (20..<30, ""),
        (4..<4, ""), (Int.min..<Int.max, "0123456789"),
    ])
    func `the bounds of a part are clamped`(range: Range<Int>, text: String) {
        let part = digits[range]

        #expect(part.text == text)
        #expect(part.count == text.utf8.count)
        #expect(part.isEmpty == text.isEmpty)
    }

    @Test func `a part of a part counts from its own beginning`() {
        let part = digits[3..<8][1..<3]

        #expect(part.text == "45")
        // Not up to the end of the memory that they share.
        #expect(digits[3..<8][1..<100].text == "4567")
    }

    @Test func `pieces are joined in order, empty ones and parts too`() {
        let joined = Bytes.joined([Bytes("ab"), .empty, digits[5..<7], Bytes([0, 255])])

        #expect(joined.array == [0x61, 0x62, 0x35, 0x36, 0, 255])
        #expect(Bytes.joined([digits]) == digits)
        #expect(Bytes.joined([]).isEmpty)
        #expect(Bytes.joined([.empty, .empty]).isEmpty)
    }

    @Test func `equal bytes in different memory are equal`() {
        #expect(Bytes("34") == digits[3..<5])
        #expect(Bytes("34") != digits[3..<6])
        #expect(Bytes.empty == digits[4..<4])
    }

    @Test func `invalid UTF-8 becomes U+FFFD`() {
        #expect(Bytes([0x61, 0xFF]).text == "a\u{FFFD}")
    }

    @Test func `changing the memory does not change a copy of it`() {
        var memory: [UInt8] = [1, 2, 3]

        let copy = memory.withUnsafeBytes { Bytes(copying: $0) }
        memory[0] = 9

        #expect(copy.array == [1, 2, 3])
    }

    @Test func `only the first bytes of memory that was taken over are used`() {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 8, alignment: 1)
        memory.copyBytes(from: Array("01234567".utf8))

        let bytes = Bytes(adopting: memory, count: 3)

        #expect(bytes.text == "012")
    }

    @Test func `borrowed memory is given back once, when its last part goes`() {
        let releases = Mutex(0)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4, alignment: 1)
        defer { memory.deallocate() }
        memory.copyBytes(from: Array("abcd".utf8))

        var part: Bytes?
        do {
            let whole = Bytes(borrowing: UnsafeRawBufferPointer(memory)) { _ in releases.withLock { $0 += 1 } }
            part = whole[1..<3]
        }
        let text = part?.text
        let before = releases.withLock { $0 }
        part = nil

        #expect(text == "bc")
        #expect(before == 0)
        #expect(releases.withLock { $0 } == 1)
    }

    @Test func `bytes are a collection of their bytes, and a slice shares their memory`() {
        let bytes = Bytes("plugboard")[4..<9]

        #expect(bytes.count == 5 && bytes.first == UInt8(ascii: "b") && bytes.last == UInt8(ascii: "d"))
        #expect(Array(bytes) == Array("board".utf8) && bytes.reversed().elementsEqual("draob".utf8))
        #expect(bytes.firstIndex(of: UInt8(ascii: "r")) == 3 && bytes[3] == UInt8(ascii: "r"))
        #expect(Bytes(bytes.dropFirst(2).prefix(2)).text == "ar" && bytes[3...].text == "rd")
        #expect(bytes[7...].isEmpty && bytes[...2].text == "boa")
        let address = bytes.withUnsafeBytes { $0.baseAddress }
        #expect(bytes.withContiguousStorageIfAvailable { UnsafeRawPointer($0.baseAddress) } == address)
        #expect(Bytes(bytes.dropFirst()).withUnsafeBytes { $0.baseAddress } == address.map { $0 + 1 })
    }
}
