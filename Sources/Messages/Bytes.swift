/// A piece of memory that is shared and never changes: what bodies are made of.
///
/// Copying a `Bytes` copies a reference. The memory is given back when the last copy goes, on whatever thread that
/// happens.
public struct Bytes: Sendable {
    private let storage: Storage
    private let start: Int
    public let count: Int

    /// No bytes at all.
    public static let empty = Bytes([UInt8]())

    /// Keeps the array's own memory.
    public init(_ array: [UInt8]) {
        self.init(storage: Storage(array), start: 0, count: array.count)
    }

    /// Copies the memory.
    public init(copying buffer: UnsafeRawBufferPointer) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: buffer.count, alignment: 1)
        copy.copyMemory(from: buffer)
        self.init(adopting: copy)
    }

    /// The UTF-8 of a text.
    public init(_ text: String) {
        self.init(Array(text.utf8))
    }

    /// Takes over memory made with `UnsafeMutableRawBufferPointer.allocate`; only its first `count` bytes are used.
    public init(adopting memory: UnsafeMutableRawBufferPointer, count: Int? = nil) {
        self.init(
            storage: Storage(UnsafeRawBufferPointer(memory)) { UnsafeMutableRawPointer(mutating: $0)?.deallocate() },
            start: 0, count: count ?? memory.count)
    }

    /// Uses memory that somebody else owns until `release` is called, once, from any thread, with its first address.
    public init(
        borrowing memory: UnsafeRawBufferPointer, release: @escaping @Sendable (UnsafeRawPointer?) -> Void
    ) {
        self.init(storage: Storage(memory, release), start: 0, count: memory.count)
    }

    private init(storage: Storage, start: Int, count: Int) {
        self.storage = storage
        self.start = start
        self.count = count
    }

    public var isEmpty: Bool { count == 0 }

    /// The bytes, in place; the pointer is good until `body` returns.
    @inline(__always)
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(storage) {} }
        return try body(UnsafeRawBufferPointer(rebasing: storage.memory[start..<start + count]))
    }

    /// A part that shares the memory; the bounds are clamped to what is there.
    public subscript(range: Range<Int>) -> Bytes {
        let lower = min(max(range.lowerBound, 0), count)
        let upper = min(max(range.upperBound, lower), count)
        return Bytes(storage: storage, start: start + lower, count: upper - lower)
    }

    /// A copy as an array.
    public var array: [UInt8] { withUnsafeBytes { Array($0) } }

    /// The bytes as text; what is no UTF-8 shows as U+FFFD.
    public var text: String { withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }

    /// The pieces in one.
    public static func joined(_ pieces: [Bytes]) -> Bytes {
        if pieces.count == 1 { return pieces[0] }
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: pieces.reduce(0) { $0 + $1.count }, alignment: 1)
        var end = 0
        for piece in pieces {
            piece.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: memory[end...]).copyMemory(from: $0) }
            end += piece.count
        }
        return Bytes(adopting: memory)
    }
}

extension Bytes: Equatable {
    public static func == (left: Bytes, right: Bytes) -> Bool {
        left.withUnsafeBytes { left in right.withUnsafeBytes { left.elementsEqual($0) } }
    }
}

/// Sendable because nobody writes the memory once it is here.
private final class Storage: @unchecked Sendable {
    let memory: UnsafeRawBufferPointer
    private let array: [UInt8]
    private let release: (@Sendable (UnsafeRawPointer?) -> Void)?

    init(_ memory: UnsafeRawBufferPointer, _ release: @escaping @Sendable (UnsafeRawPointer?) -> Void) {
        self.memory = memory
        self.array = []
        self.release = release
    }

    /// An array's elements stay where they are as long as somebody holds it and nobody writes to it.
    init(_ array: [UInt8]) {
        self.array = array
        self.memory = array.withUnsafeBytes { $0 }
        self.release = nil
    }

    deinit { release?(memory.baseAddress) }
}
