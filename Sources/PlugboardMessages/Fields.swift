/// The header or trailer fields of a message: in order, with duplicates, with the bytes that were received or will be
/// sent.
///
/// All names and values are stored in one array of bytes; only reading a value as text makes a `String`. Names are
/// compared without regard to ASCII case (RFC 9110 §5.1).
public struct Fields: Sendable {
    // Functions that only read are inlined, because an unspecialized generic call costs more than the reading.
    @usableFromInline
    struct Entry: Sendable {
        @usableFromInline var name: Range<UInt32>
        @usableFromInline var value: Range<UInt32>
        @usableFromInline var isSecret: Bool
    }

    @usableFromInline var bytes: [UInt8] = []
    @usableFromInline var entries: [Entry] = []

    /// No fields.
    public init() {}

    /// The fields of a literal, in its order, with its duplicates.
    public init(_ fields: KeyValuePairs<String, String>) {
        for (name, value) in fields { append(name, value) }
    }

    @inlinable
    /// The number of fields.
    public var count: Int { entries.count }
    @inlinable
    /// Whether there are no fields.
    public var isEmpty: Bool { entries.isEmpty }

    /// The bytes that all names and values take.
    public var byteCount: Int { entries.reduce(0) { $0 + $1.name.count + $1.value.count } }

    /// The value of the first field of this name as text. Setting it replaces all fields of the name by one at the
    /// index of the first, or appends it; nil removes them.
    public subscript(name: FieldName) -> String? {
        get {
            withUTF8(name.text) { name in first(name).map { text(entries[$0].value) } }
        }
        set {
            guard let newValue else { return remove(name) }
            withUTF8(name.text) { name in withUTF8(newValue) { set(name, $0) } }
        }
    }

    /// The values of all fields of this name, in order.
    public func values(_ name: FieldName) -> [String] {
        withUTF8(name.text) { name in
            entries.indices.filter { matches($0, name) }.map { text(entries[$0].value) }
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

    /// Marks the fields of this name as secret: never printed, and not sent to another origin on a resend.
    public mutating func markSecret(_ name: FieldName) {
        withUTF8(name.text) { markSecret($0) }
    }

    private func text(_ range: Range<UInt32>) -> String {
        bytes.withUnsafeBytes {
            Fields.text(UnsafeRawBufferPointer(rebasing: $0[Int(range.lowerBound)..<Int(range.upperBound)]))
        }
    }

    /// The bytes of a field as text: as UTF-8 if they are valid UTF-8, else as ISO 8859-1.
    public static func text(_ bytes: some Collection<UInt8>) -> String {
        bytes.withContiguousStorageIfAvailable { text(UnsafeRawBufferPointer($0)) }
            ?? Array(bytes).withUnsafeBytes { text($0) }
    }

    /// The bytes of a field as text. Almost all fields are ASCII, which is faster to convert.
    package static func text(_ bytes: UnsafeRawBufferPointer) -> String {
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
        let isSecret = isSecret || Fields.isAlwaysSecret(name)
        entries.append(Entry(name: store(name), value: store(value), isSecret: isSecret))
    }

    /// Appends to the value of the last field, after a space if the value is not empty. Copies no other field.
    package mutating func extendLast(_ rest: UnsafeRawBufferPointer) {
        guard let last = entries.last, !rest.isEmpty else { return }
        let start = bytes.count
        if last.value.upperBound != start { bytes += bytes[Int(last.value.lowerBound)..<Int(last.value.upperBound)] }
        if !last.value.isEmpty { bytes.append(0x20) }
        bytes.append(contentsOf: rest)
        let lower = last.value.upperBound == start ? last.value.lowerBound : UInt32(clamping: start)
        entries[entries.count - 1].value = lower..<UInt32(clamping: bytes.count)
    }

    /// Adds the field of a line that holds both its name and its value, with one copy instead of two.
    package mutating func append(line: UnsafeRawBufferPointer, name: Range<Int>, value: Range<Int>) {
        let start = bytes.count
        bytes.append(contentsOf: line)
        let isSecret = Fields.isAlwaysSecret(UnsafeRawBufferPointer(rebasing: line[name]))
        // Heads are far smaller than 4 GiB; beyond that, a field has no bytes.
        guard bytes.count <= Int(UInt32.max) else {
            return entries.append(Entry(name: 0..<0, value: 0..<0, isSecret: isSecret))
        }
        let offset = UInt32(truncatingIfNeeded: start)
        func stored(_ range: Range<Int>) -> Range<UInt32> {
            let lower = offset &+ UInt32(truncatingIfNeeded: range.lowerBound)
            let upper = offset &+ UInt32(truncatingIfNeeded: range.upperBound)
            return Range(uncheckedBounds: (lower, upper))
        }
        entries.append(Entry(name: stored(name), value: stored(value), isSecret: isSecret))
    }

    /// Replaces all fields of this name by one at the index of the first, or appends it.
    public mutating func set(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        guard let index = first(name) else { return append(name, value) }
        let stored = store(value)
        entries[index].value = stored
        removeEntries(of: name, from: index + 1)
    }

    /// Removes all fields of this name.
    public mutating func remove(_ name: UnsafeRawBufferPointer) {
        guard let start = first(name) else { return }
        removeEntries(of: name, from: start)
    }

    /// Removes the fields in one pass.
    private mutating func removeEntries(of name: UnsafeRawBufferPointer, from start: Int) {
        var kept = start
        for index in start..<entries.count where !matches(index, name) {
            entries[kept] = entries[index]
            kept += 1
        }
        entries.removeSubrange(kept...)
    }

    /// Marks the fields of this name as secret.
    public mutating func markSecret(_ name: UnsafeRawBufferPointer) {
        for index in entries.indices where matches(index, name) { entries[index].isSecret = true }
    }

    /// Removes all secret fields.
    public mutating func removeSecrets() {
        entries.removeAll { $0.isSecret }
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
        let entry = entries[index]
        return bytes.withUnsafeBytes {
            body(
                UnsafeRawBufferPointer(rebasing: $0[Int(entry.name.lowerBound)..<Int(entry.name.upperBound)]),
                UnsafeRawBufferPointer(rebasing: $0[Int(entry.value.lowerBound)..<Int(entry.value.upperBound)]))
        }
    }

    /// Calls `body` with a view of each field, which `view` makes from pointers to name and value; the pointers are
    /// valid until `body` returns.
    @inlinable
    package func withViews<View: BitwiseCopyable, Result>(
        _ view: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> View,
        _ body: (UnsafeBufferPointer<View>) -> Result
    ) -> Result {
        bytes.withUnsafeBytes { bytes in
            withUnsafeTemporaryAllocation(of: View.self, capacity: entries.count) { views in
                for index in entries.indices {
                    let (name, value) = (entries[index].name, entries[index].value)
                    views.initializeElement(
                        at: index,
                        to: view(
                            UnsafeRawBufferPointer(rebasing: bytes[Int(name.lowerBound)..<Int(name.upperBound)]),
                            UnsafeRawBufferPointer(rebasing: bytes[Int(value.lowerBound)..<Int(value.upperBound)])))
                }
                return body(UnsafeBufferPointer(views))
            }
        }
    }

    /// Whether the field at this index is secret.
    @inlinable
    public func isSecret(at index: Int) -> Bool { entries[index].isSecret }

    /// Reserves memory for this many more fields, with so many bytes in all.
    public mutating func reserve(fields: Int, bytes count: Int) {
        entries.reserveCapacity(fields)
        bytes.reserveCapacity(count)
    }

    private mutating func store(_ piece: UnsafeRawBufferPointer) -> Range<UInt32> {
        let start = UInt32(clamping: bytes.count)
        bytes.append(contentsOf: piece)
        return start..<UInt32(clamping: bytes.count)
    }

    @usableFromInline
    func first(_ name: UnsafeRawBufferPointer) -> Int? {
        bytes.withUnsafeBufferPointer { bytes in
            for index in entries.indices where Fields.matches(bytes, entries[index].name, name) { return index }
            return nil
        }
    }

    private func matches(_ index: Int, _ name: UnsafeRawBufferPointer) -> Bool {
        bytes.withUnsafeBufferPointer { Fields.matches($0, entries[index].name, name) }
    }

    private static func matches(
        _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<UInt32>, _ name: UnsafeRawBufferPointer
    ) -> Bool {
        guard range.count == name.count else { return false }
        let start = Int(range.lowerBound)
        for offset in 0..<name.count where lowercased(bytes[start + offset]) != lowercased(name[offset]) {
            return false
        }
        return true
    }

    /// Whether a field of this name holds credentials. Such fields are always secret: they are not printed, and dropped
    /// when a resend goes to another origin.
    private static func isAlwaysSecret(_ name: UnsafeRawBufferPointer) -> Bool {
        switch name.count {
        case 6: equals(name, "cookie")
        case 10: equals(name, "set-cookie")
        case 13: equals(name, "authorization")
        case 19: equals(name, "proxy-authorization")
        default: false
        }
    }

    private static func equals(_ name: UnsafeRawBufferPointer, _ lowercase: StaticString) -> Bool {
        for offset in 0..<name.count where lowercased(name[offset]) != lowercase.utf8Start[offset] { return false }
        return true
    }
}

extension Fields: ExpressibleByDictionaryLiteral {
    /// In the literal's order, with its duplicates.
    public init(dictionaryLiteral fields: (String, String)...) {
        for (name, value) in fields { append(name, value) }
    }
}

extension Fields: RandomAccessCollection {
    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of fields.
    public var endIndex: Int { entries.count }

    /// One field as text.
    public struct Element: Sendable, Equatable {
        /// As it was received or will be sent.
        public let name: String
        /// As `Fields.text` reads its bytes.
        public let value: String
        /// Whether it is neither printed nor sent to another origin.
        public let isSecret: Bool
    }

    /// The field at an index from 0 to `count` - 1, as text.
    public subscript(index: Int) -> Element {
        let entry = entries[index]
        return Element(name: text(entry.name), value: text(entry.value), isSecret: entry.isSecret)
    }
}

/// Calls `body` with a text in UTF-8, without a copy if its memory is contiguous.
@inlinable
@inline(__always)
package func withUTF8<Result>(_ text: String, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    var text = text
    return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
}
