import PlugboardSystem

/// Bytes in shared, immutable memory: the pieces of bodies.
///
/// Copying a `Bytes` copies a reference. The memory is released with the last copy, on the thread that releases it.
///
/// A collection of its bytes: `bytes.first`, `for byte in bytes`, `Array(bytes)`. A part by offsets (`bytes[2..<4]`) is
/// a `Bytes` whose offsets begin at 0; what the collection's own methods return, such as `prefix(4)`, is a
/// `Slice<Bytes>`, which `Bytes(_:)` takes.
public struct Bytes: Sendable {
    // Safe because the memory is not written after it was stored.
    @usableFromInline nonisolated(unsafe) let storage: BytesStorage
    @usableFromInline let start: Int
    /// The number of bytes.
    public let count: Int

    /// No bytes.
    public static let empty = Bytes([UInt8]())

    /// The elements of an array, whose memory is shared and not copied.
    public init(_ array: [UInt8]) {
        self.init(storage: .keeping(array), start: 0, count: array.count)
    }

    /// The bytes of a slice, sharing the memory.
    public init(_ slice: Slice<Bytes>) {
        self = slice.base[slice.startIndex..<slice.endIndex]
    }

    /// A copy of the memory.
    public init(copying buffer: UnsafeRawBufferPointer) {
        self.init(storage: .copying(buffer), start: 0, count: buffer.count)
    }

    /// A text in UTF-8.
    public init(_ text: String) {
        self.init(Array(text.utf8))
    }

    /// Takes ownership of memory from `UnsafeMutableRawBufferPointer.allocate`, and deallocates it at the end.
    ///
    /// - Parameter count: How many bytes of it are used, from the first; nil for all.
    public init(adopting memory: UnsafeMutableRawBufferPointer, count: Int? = nil) {
        self.init(
            storage: .borrowing(UnsafeRawBufferPointer(memory)) { UnsafeMutableRawPointer(mutating: $0)?.deallocate() },
            start: 0, count: count ?? memory.count)
    }

    /// Uses memory without a copy. The owner must keep it unchanged until `release` is called, once, on any thread,
    /// with its first address.
    public init(
        borrowing memory: UnsafeRawBufferPointer, release: @escaping @Sendable (UnsafeRawPointer?) -> Void
    ) {
        self.init(storage: .borrowing(memory, release), start: 0, count: memory.count)
    }

    private init(storage: BytesStorage, start: Int, count: Int) {
        self.storage = storage
        self.start = start
        self.count = count
    }

    /// Whether there are no bytes.
    public var isEmpty: Bool { count == 0 }

    /// Calls `body` with the bytes, without a copy; the pointer is valid until `body` returns.
    @inlinable @inline(__always)
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(storage) {} }
        return try body(UnsafeRawBufferPointer(rebasing: storage.bytes[start..<start + count]))
    }

    /// The bytes in a range of offsets, sharing the memory. Bounds beyond the end are clamped.
    public subscript(range: Range<Int>) -> Bytes {
        let lower = Swift.min(Swift.max(range.lowerBound, 0), count)
        let upper = Swift.min(Swift.max(range.upperBound, lower), count)
        return Bytes(storage: storage, start: start + lower, count: upper - lower)
    }

    /// The bytes in a range such as `3...`, sharing the memory. Bounds beyond the end are clamped.
    public subscript(range: some RangeExpression<Int>) -> Bytes { self[range.relative(to: 0..<Int.max)] }

    /// A copy as an array.
    public var array: [UInt8] { withUnsafeBytes { Array($0) } }

    /// The bytes as UTF-8 text; invalid bytes become U+FFFD.
    public var text: String { withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }

    /// All pieces in one, in new memory unless there is exactly one piece.
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

extension Bytes: RandomAccessCollection {
    /// A part of the collection, with the offsets of the whole.
    public typealias SubSequence = Slice<Bytes>

    /// 0.
    @inlinable public var startIndex: Int { 0 }
    /// `count`.
    @inlinable public var endIndex: Int { count }

    /// The byte at an offset, which must be less than `count`.
    @inlinable
    public subscript(offset: Int) -> UInt8 {
        precondition(offset >= 0 && offset < count, "The offset is not less than the number of bytes.")
        defer { withExtendedLifetime(storage) {} }
        return storage.bytes[start &+ offset]
    }

    /// Calls `body` with the bytes, without a copy; never returns nil.
    @inlinable
    public func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? {
        try withUnsafeBytes { bytes in try bytes.withMemoryRebound(to: UInt8.self, body) }
    }
}

extension Bytes: Equatable {
    /// Compares the bytes, not the memory.
    public static func == (left: Bytes, right: Bytes) -> Bool {
        left.withUnsafeBytes { left in right.withUnsafeBytes { left.isEqual(to: $0) } }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether the bytes are the same.
    package func isEqual(to other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count, let start = baseAddress, let otherStart = other.baseAddress else {
            return count == other.count
        }
        return memcmp(start, otherStart, count) == 0
    }
}

@usableFromInline
struct BytesMemory {
    @usableFromInline let bytes: UnsafeRawBufferPointer
    var array: [UInt8] = []
    var release: (@Sendable (UnsafeRawPointer?) -> Void)?
}

/// Keeps the memory of a `Bytes`: an array's, an owner's, or a part of the object itself.
@usableFromInline
final class BytesStorage: ManagedBuffer<BytesMemory, UInt8> {
    /// The elements of an array keep their address as long as the array is held and not written to.
    static func keeping(_ array: [UInt8]) -> BytesStorage {
        make { _ in BytesMemory(bytes: array.withUnsafeBytes { $0 }, array: array) }
    }

    static func borrowing(
        _ bytes: UnsafeRawBufferPointer, _ release: @escaping @Sendable (UnsafeRawPointer?) -> Void
    ) -> BytesStorage {
        make { _ in BytesMemory(bytes: bytes, release: release) }
    }

    /// A copy in the object itself, which is one allocation instead of two.
    static func copying(_ bytes: UnsafeRawBufferPointer) -> BytesStorage {
        make(room: bytes.count) { start in
            let copy = UnsafeMutableRawBufferPointer(start: start, count: bytes.count)
            copy.copyMemory(from: bytes)
            return BytesMemory(bytes: UnsafeRawBufferPointer(copy))
        }
    }

    private static func make(room: Int = 0, _ memory: (UnsafeMutableRawPointer) -> BytesMemory) -> BytesStorage {
        let made = BytesStorage.create(minimumCapacity: room) { buffer in
            buffer.withUnsafeMutablePointerToElements { memory(UnsafeMutableRawPointer($0)) }
        }
        return unsafeDowncast(made, to: BytesStorage.self)
    }

    // Read through its pointer, which costs no check for exclusive access.
    @inlinable var bytes: UnsafeRawBufferPointer { withUnsafeMutablePointerToHeader { $0.pointee.bytes } }

    deinit { withUnsafeMutablePointerToHeader { $0.pointee.release?($0.pointee.bytes.baseAddress) } }
}
