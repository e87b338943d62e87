/// All fields of a message in one object, so that a copy of a head counts one reference for them: their entries, and
/// after the room for these, the bytes of names and values.
///
/// Written only by the `Fields` that alone refers to it.
@usableFromInline
final class FieldStorage: ManagedBuffer<FieldStorage.Extent, Fields.Entry> {
    /// How many entries and bytes there are, and for how many there is room.
    @usableFromInline
    struct Extent {
        @usableFromInline var count = 0
        @usableFromInline var room: Int
        @usableFromInline var byteCount = 0
        @usableFromInline var byteRoom: Int

        @inline(__always)
        func hasRoom(_ entries: Int, _ bytes: Int) -> Bool {
            entries <= room - count && bytes <= byteRoom - byteCount
        }
    }

    /// Makes storage without fields, with room for this many.
    static func make(room: Int, byteRoom: Int) -> FieldStorage {
        let stride = MemoryLayout<Fields.Entry>.stride
        let made = FieldStorage.create(minimumCapacity: room + (byteRoom + stride - 1) / stride) { _ in
            Extent(room: room, byteRoom: byteRoom)
        }
        return unsafeDowncast(made, to: FieldStorage.self)
    }

    @inlinable
    @inline(__always)
    func withContents<Result>(
        _ body: (_ entries: UnsafeBufferPointer<Fields.Entry>, _ bytes: UnsafeRawBufferPointer) -> Result
    ) -> Result {
        withUnsafeMutablePointers { extent, start in
            body(
                UnsafeBufferPointer(start: start, count: extent.pointee.count),
                UnsafeRawBufferPointer(
                    start: UnsafeRawPointer(start + extent.pointee.room), count: extent.pointee.byteCount))
        }
    }

    @inline(__always)
    func withEntries<Result>(
        _ body: (_ entries: UnsafeMutablePointer<Fields.Entry>, _ count: inout Int) -> Result
    ) -> Result {
        withUnsafeMutablePointers { body($1, &$0.pointee.count) }
    }

    // Read through its pointer, which costs no check for exclusive access.
    @inlinable
    @inline(__always)
    var extent: Extent { withUnsafeMutablePointerToHeader { $0.pointee } }

    /// Adds bytes for which there is room, and returns the offset of the first.
    @inline(__always)
    func add(_ piece: UnsafeRawBufferPointer) -> Int {
        withUnsafeMutablePointers { extent, start in
            let offset = extent.pointee.byteCount
            if let from = piece.baseAddress {
                (UnsafeMutableRawPointer(start + extent.pointee.room) + offset)
                    .copyMemory(from: from, byteCount: piece.count)
            }
            extent.pointee.byteCount &+= piece.count
            return offset
        }
    }

    /// Adds a field for which there is room.
    @inline(__always)
    func add(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ isSecret: Bool) {
        assert(extent.hasRoom(1, name.count + value.count))
        add(
            Fields.Entry(
                name: Fields.Entry.range(0..<name.count, from: add(name)),
                value: Fields.Entry.range(0..<value.count, from: add(value)), isSecret: isSecret))
    }

    /// Adds an entry for which there is room.
    @inline(__always)
    func add(_ entry: Fields.Entry) {
        withUnsafeMutablePointers { extent, start in
            (start + extent.pointee.count).initialize(to: entry)
            extent.pointee.count &+= 1
        }
    }

    /// The bytes of names and values. There may be more, because those of replaced values stay.
    var usedByteCount: Int { withContents { entries, _ in entries.reduce(0) { $0 + $1.name.count + $1.value.count } } }

    /// A copy with the same fields, without the bytes of replaced values, and with this room.
    func compacted(room: Int, byteRoom: Int) -> FieldStorage {
        let copy = FieldStorage.make(room: room, byteRoom: byteRoom)
        withContents { entries, bytes in
            for entry in entries { copy.add(bytes.part(entry.name), bytes.part(entry.value), entry.isSecret) }
        }
        return copy
    }

    /// A copy with the same fields, and with this room.
    func copy(room: Int, byteRoom: Int) -> FieldStorage {
        let copy = FieldStorage.make(room: room, byteRoom: byteRoom)
        withContents { entries, bytes in
            copy.withEntries { start, count in
                _ = UnsafeMutableBufferPointer(start: start, count: room).initialize(fromContentsOf: entries)
                count = entries.count
            }
            _ = copy.add(bytes)
        }
        return copy
    }
}

extension Fields {
    @inlinable
    @inline(__always)
    func withContents<Result>(
        _ body: (_ entries: UnsafeBufferPointer<Entry>, _ bytes: UnsafeRawBufferPointer) -> Result
    ) -> Result {
        guard let storage else {
            return body(UnsafeBufferPointer(start: nil, count: 0), UnsafeRawBufferPointer(start: nil, count: 0))
        }
        // No reference is counted, because these fields keep the storage.
        defer { withExtendedLifetime(self) {} }
        return Unmanaged.passUnretained(storage)._withUnsafeGuaranteedRef { $0.withContents(body) }
    }

    /// Storage that nothing else refers to, with room for this many more.
    @inline(__always)
    mutating func writableStorage(room: Int = 0, byteRoom: Int = 0) -> FieldStorage {
        if isKnownUniquelyReferenced(&storage), let storage, storage.extent.hasRoom(room, byteRoom) { return storage }
        return newStorage(room: room, byteRoom: byteRoom)
    }

    @inline(never)
    private mutating func newStorage(room: Int, byteRoom: Int) -> FieldStorage {
        guard let storage else {
            let made = FieldStorage.make(room: Swift.max(room, 4), byteRoom: Swift.max(byteRoom, 64))
            self.storage = made
            return made
        }
        let extent = storage.extent
        let needed = extent.count + room
        let newRoom = needed <= extent.room ? extent.room : Swift.max(2 * extent.room, needed)
        // Otherwise fields whose values are replaced again and again would grow endlessly.
        if extent.byteCount > Fields.sparseByteCount {
            let used = storage.usedByteCount
            if used < extent.byteCount / 2 {
                let compacted = storage.compacted(room: newRoom, byteRoom: 2 * used + byteRoom)
                self.storage = compacted
                return compacted
            }
        }
        let neededBytes = extent.byteCount + byteRoom
        let copy = storage.copy(
            room: newRoom,
            byteRoom: neededBytes <= extent.byteRoom ? extent.byteRoom : Swift.max(2 * extent.byteRoom, neededBytes))
        self.storage = copy
        return copy
    }

    /// The number of bytes up to which those of replaced values are not removed.
    private static let sparseByteCount = 4096
}

extension Fields.Entry {
    /// A range of offsets that begins at `start`. Heads are far smaller than 4 GiB; beyond that, a field has no bytes.
    @inline(__always)
    static func range(_ range: Range<Int>, from start: Int) -> Range<UInt32> {
        if start &+ range.upperBound > Int(UInt32.max) { return 0..<0 }
        let lower = UInt32(truncatingIfNeeded: start &+ range.lowerBound)
        return Range(uncheckedBounds: (lower, UInt32(truncatingIfNeeded: start &+ range.upperBound)))
    }
}

extension UnsafeRawBufferPointer {
    /// The bytes of a name or a value.
    @inlinable
    @inline(__always)
    func part(_ range: Range<UInt32>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[Int(range.lowerBound)..<Int(range.upperBound)])
    }
}
