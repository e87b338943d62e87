/// The header or trailer fields of a message: in order, with duplicates, with the bytes that were received or will be
/// sent.
///
/// All names and values are stored as bytes in one object; only reading a value as text makes a `String`. Names are
/// compared without regard to ASCII case (RFC 9110 §5.1).
public struct Fields: Sendable {
    // Functions that only read are inlined, because an unspecialized generic call costs more than the reading.
    @usableFromInline
    struct Entry: Sendable {
        @usableFromInline var name: Range<UInt32>
        @usableFromInline var value: Range<UInt32>
        @usableFromInline var isSecret: Bool
    }

    /// Nil if nothing was added or reserved.
    // Safe because it is written only if nothing else refers to it.
    @usableFromInline nonisolated(unsafe) var storage: FieldStorage?

    /// No fields.
    public init() {}

    /// The fields of a literal, in its order, with its duplicates.
    public init(_ fields: KeyValuePairs<String, String>) {
        for (name, value) in fields { append(name, value) }
    }

    @inlinable
    /// The number of fields.
    public var count: Int { storage?.extent.count ?? 0 }
    @inlinable
    /// Whether there are no fields.
    public var isEmpty: Bool { count == 0 }

    /// The bytes that all names and values take.
    public var byteCount: Int {
        withContents { entries, _ in entries.reduce(0) { $0 + $1.name.count + $1.value.count } }
    }

    /// The value of the first field of this name as text. Setting it replaces all fields of the name by one at the
    /// index of the first, or appends it; nil removes them.
    public subscript(name: FieldName) -> String? {
        get {
            withUTF8(name.text) { name in withValue(name) { $0.map { Fields.text($0) } } }
        }
        set {
            guard let newValue else { return remove(name) }
            withUTF8(name.text) { name in withUTF8(newValue) { set(name, $0) } }
        }
    }

    /// The values of all fields of this name, in order.
    public func values(_ name: FieldName) -> [String] {
        withUTF8(name.text) { name in
            withContents { entries, bytes in
                entries.filter { Fields.matches($0, bytes, name) }.map { Fields.text(bytes.part($0.value)) }
            }
        }
    }

    /// Whether there is a field of this name.
    public func contains(_ name: FieldName) -> Bool {
        withUTF8(name.text) { first($0) != nil }
    }

    /// Adds a field at the end; other fields of the same name stay.
    public mutating func append(_ name: FieldName, _ value: String) {
        append(name.text, value)
    }

    private mutating func append(_ name: String, _ value: String) {
        withUTF8(name) { name in withUTF8(value) { append(name, $0) } }
    }

    /// Removes all fields of this name.
    public mutating func remove(_ name: FieldName) {
        withUTF8(name.text) { remove($0) }
    }

    /// The bytes of a field as text: as UTF-8 if they are valid UTF-8, else as ISO 8859-1.
    public static func text(_ bytes: some Collection<UInt8>) -> String {
        bytes.withContiguousStorageIfAvailable { text(UnsafeRawBufferPointer($0)) }
            ?? Array(bytes).withUnsafeBytes { text($0) }
    }

    /// The bytes of a field in place as text: as UTF-8 if they are valid UTF-8, else as ISO 8859-1.
    public static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        // Almost all fields are ASCII, which is faster to convert.
        var union: UInt8 = 0
        for byte in bytes { union |= byte }
        if union < 0x80 { return String(decoding: bytes, as: UTF8.self) }
        return String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}

// MARK: - Bytes in, bytes out

extension Fields {
    /// Adds a field at the end. It is secret if `isSecret` is true, or if its name is one of the caller's credentials.
    public mutating func append(
        _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, isSecret: Bool = false
    ) {
        writableStorage(room: 1, byteRoom: name.count + value.count).add(
            name, value, isSecret || Fields.isAlwaysSecret(name))
    }

    /// Adds copies of this many fields of another message at the end, whose names and values have at most `bytes` bytes
    /// in total. Only those are secret that are secret there.
    package mutating func append(
        _ count: Int, bytes: Int,
        _ field: (Int) -> (name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, isSecret: Bool)
    ) {
        let storage = writableStorage(room: count, byteRoom: bytes)
        for index in 0..<count {
            let (name, value, isSecret) = field(index)
            storage.add(name, value, isSecret)
        }
    }

    /// Replaces all fields of this name by one at the index of the first, or appends it.
    public mutating func set(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        guard let index = first(name) else { return append(name, value) }
        let storage = writableStorage(byteRoom: value.count)
        let stored = Entry.range(0..<value.count, from: storage.add(value))
        storage.withEntries { entries, _ in entries[index].value = stored }
        removeEntries(of: name, from: index + 1)
    }

    /// Removes all fields of this name.
    public mutating func remove(_ name: UnsafeRawBufferPointer) {
        guard let start = first(name) else { return }
        removeEntries(of: name, from: start)
    }

    mutating func removeEntries(of name: UnsafeRawBufferPointer, from start: Int) {
        removeEntries(from: start) { Fields.matches($0, $1, name) }
    }

    /// Removes fields in one pass.
    ///
    /// - Parameter kept: The number of fields before `start` that stay, if not all do.
    mutating func removeEntries(
        from start: Int, keeping kept: Int? = nil, where isRemoved: (Entry, _ bytes: UnsafeRawBufferPointer) -> Bool
    ) {
        let storage = writableStorage()
        let kept = storage.withContents { entries, bytes in
            storage.withEntries { first, _ in
                var kept = kept ?? start
                for index in start..<entries.count where !isRemoved(entries[index], bytes) {
                    first[kept] = entries[index]
                    kept += 1
                }
                return kept
            }
        }
        storage.withEntries { $1 = kept }
    }

    /// Removes the fields for which `isRemoved` returns true. It is called once for each field, in order; the pointers
    /// are valid until it returns.
    public mutating func removeAll(
        where isRemoved: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) {
        let first = withContents { entries, bytes in
            entries.firstIndex { isRemoved(bytes.part($0.name), bytes.part($0.value)) }
        }
        guard let first else { return }
        removeEntries(from: first + 1, keeping: first) { isRemoved($1.part($0.name), $1.part($0.value)) }
    }

    /// Calls `body` with the value of the first field of this name, without a copy, or with nil; the pointer is valid
    /// until `body` returns.
    @inlinable
    public func withValue<Result>(
        _ name: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer?) -> Result
    ) -> Result {
        guard let index = first(name) else { return body(nil) }
        return withField(index) { body($1) }
    }

    /// Calls `body` with name and value of the field at an index below `count`; the pointers are valid until `body`
    /// returns.
    @inlinable
    public func withField<Result>(
        _ index: Int, _ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Result
    ) -> Result {
        withContents { entries, bytes in
            precondition(entries.indices.contains(index), "There is no field of this index.")
            let entry = entries[index]
            return body(bytes.part(entry.name), bytes.part(entry.value))
        }
    }

    /// Calls `body` with name and value of each field, in order; the pointers are valid until `body` returns.
    @inlinable
    public func forEachField(_ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void) {
        withContents { entries, bytes in
            for entry in entries { body(bytes.part(entry.name), bytes.part(entry.value)) }
        }
    }

    /// Calls `body` with a view of each field, which `view` makes from pointers to name and value; the pointers are
    /// valid until `body` returns.
    @inlinable
    package func withViews<View: BitwiseCopyable, Result>(
        _ view: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> View,
        _ body: (UnsafeBufferPointer<View>) -> Result
    ) -> Result {
        withContents { entries, bytes in
            withUnsafeTemporaryAllocation(of: View.self, capacity: entries.count) { views in
                for (index, entry) in entries.enumerated() {
                    views.initializeElement(at: index, to: view(bytes.part(entry.name), bytes.part(entry.value)))
                }
                return body(UnsafeBufferPointer(views))
            }
        }
    }

    /// Whether the field at an index below `count` has these bytes, and is secret or not.
    package func isField(
        at index: Int, _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, isSecret: Bool
    ) -> Bool {
        withContents { entries, bytes in
            let entry = entries[index]
            return entry.isSecret == isSecret && bytes.part(entry.name).isEqual(to: name)
                && bytes.part(entry.value).isEqual(to: value)
        }
    }

    /// Reserves memory for this many more fields, with this many bytes in total.
    public mutating func reserve(fields: Int, bytes count: Int) {
        _ = writableStorage(room: fields, byteRoom: count)
    }

    @usableFromInline
    func first(_ name: UnsafeRawBufferPointer) -> Int? {
        withContents { entries, bytes in entries.firstIndex { Fields.matches($0, bytes, name) } }
    }

    @inline(__always)
    static func matches(
        _ entry: Entry, _ bytes: UnsafeRawBufferPointer, _ name: UnsafeRawBufferPointer
    ) -> Bool {
        // Most names have another length.
        guard entry.name.count == name.count else { return false }
        let field = bytes.part(entry.name)
        for offset in 0..<name.count where lowercased(field[offset]) != lowercased(name[offset]) { return false }
        return true
    }
}

extension Fields: ExpressibleByDictionaryLiteral {
    /// The fields in the literal's order, with its duplicates.
    public init(dictionaryLiteral fields: (String, String)...) {
        for (name, value) in fields { append(name, value) }
    }
}

extension Fields: RandomAccessCollection {
    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of fields.
    public var endIndex: Int { count }

    /// One field as text.
    public struct Element: Sendable, Equatable {
        /// The name, as it was received or will be sent.
        public let name: String
        /// The value, as `Fields.text` reads its bytes.
        public let value: String
        /// Whether it is neither printed nor sent to another origin.
        public let isSecret: Bool
    }

    /// The field at an index from 0 to `count` - 1, as text.
    public subscript(index: Int) -> Element {
        let isSecret = isSecret(at: index)
        return withField(index) { Element(name: Fields.text($0), value: Fields.text($1), isSecret: isSecret) }
    }
}
