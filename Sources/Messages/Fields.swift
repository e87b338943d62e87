/// The header or trailer fields of a message: in order, with duplicates, byte for byte as they came or will be sent.
///
/// All names and values stand in one array of bytes; reading a value as text is the only thing that makes a `String`.
/// Look-up compares names without regard to ASCII case (RFC 9110 §5.1).
public struct Fields: Sendable {
    // What only looks is inlined into who looks: a call through generic code costs more than the look.
    @usableFromInline
    struct Entry: Sendable {
        @usableFromInline var name: Range<UInt32>
        @usableFromInline var value: Range<UInt32>
        @usableFromInline var isSecret: Bool
    }

    @usableFromInline var bytes: [UInt8] = []
    @usableFromInline var entries: [Entry] = []

    public init() {}

    public init(_ fields: KeyValuePairs<String, String>) {
        for (name, value) in fields { append(name, value) }
    }

    @inlinable
    public var count: Int { entries.count }
    @inlinable
    public var isEmpty: Bool { entries.isEmpty }

    /// The bytes that names and values take together.
    public var byteCount: Int { entries.reduce(0) { $0 + $1.name.count + $1.value.count } }

    /// The first field of this name as text. Setting replaces all fields of the name, in the first one's place;
    /// setting nil removes them.
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

    /// Adds a field at the end, beside those of the same name.
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

    /// Field bytes as text: UTF-8 where they are that, else each byte as the character of its number (ISO 8859-1).
    public static func text(_ bytes: some Collection<UInt8>) -> String {
        bytes.withContiguousStorageIfAvailable { text(UnsafeRawBufferPointer($0)) }
            ?? Array(bytes).withUnsafeBytes { text($0) }
    }

    /// Almost all fields are ASCII, and nothing else need be known of their bytes.
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
    /// Adds a field at the end; it is secret if it is said so, and if all of its name are.
    public mutating func append(
        _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, isSecret: Bool = false
    ) {
        let isSecret = isSecret || Fields.isAlwaysSecret(name)
        entries.append(Entry(name: store(name), value: store(value), isSecret: isSecret))
    }

    /// Adds to the value of the last field, after a space where it has one. Copies no other field.
    package mutating func extendLast(_ rest: UnsafeRawBufferPointer) {
        guard let last = entries.last, !rest.isEmpty else { return }
        let start = bytes.count
        if last.value.upperBound != start { bytes += bytes[Int(last.value.lowerBound)..<Int(last.value.upperBound)] }
        if !last.value.isEmpty { bytes.append(0x20) }
        bytes.append(contentsOf: rest)
        let lower = last.value.upperBound == start ? last.value.lowerBound : UInt32(clamping: start)
        entries[entries.count - 1].value = lower..<UInt32(clamping: bytes.count)
    }

    /// Adds the field of a line that holds both its name and its value; one copy instead of two.
    package mutating func append(line: UnsafeRawBufferPointer, name: Range<Int>, value: Range<Int>) {
        let start = bytes.count
        bytes.append(contentsOf: line)
        func stored(_ range: Range<Int>) -> Range<UInt32> {
            UInt32(clamping: start + range.lowerBound)..<UInt32(clamping: start + range.upperBound)
        }
        let isSecret = Fields.isAlwaysSecret(UnsafeRawBufferPointer(rebasing: line[name]))
        entries.append(Entry(name: stored(name), value: stored(value), isSecret: isSecret))
    }

    /// Replaces all fields of this name by one, in the first one's place, or adds it at the end.
    public mutating func set(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        guard let index = first(name) else { return append(name, value) }
        let stored = store(value)
        entries[index].value = stored
        removeEntries(of: name, from: index + 1)
    }

    public mutating func remove(_ name: UnsafeRawBufferPointer) {
        guard let start = first(name) else { return }
        removeEntries(of: name, from: start)
    }

    /// One pass, however many there are.
    private mutating func removeEntries(of name: UnsafeRawBufferPointer, from start: Int) {
        var kept = start
        for index in start..<entries.count where !matches(index, name) {
            entries[kept] = entries[index]
            kept += 1
        }
        entries.removeSubrange(kept...)
    }

    public mutating func markSecret(_ name: UnsafeRawBufferPointer) {
        for index in entries.indices where matches(index, name) { entries[index].isSecret = true }
    }

    public mutating func removeSecrets() {
        entries.removeAll { $0.isSecret }
    }

    /// The value of the first field of this name, in place, or nil; the pointer is good until `body` returns.
    @inlinable
    public func withValue<Result>(
        _ name: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer?) -> Result
    ) -> Result {
        guard let index = first(name) else { return body(nil) }
        return withField(index) { body($1) }
    }

    /// A field by its place, 0 up to `count`; the pointers are good until `body` returns.
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

    /// All fields at once, each as what `view` makes of its name and value in place; good until `body` returns.
    package func withViews<View, Result>(
        _ view: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> View,
        _ body: (UnsafeBufferPointer<View>) -> Result
    ) -> Result {
        bytes.withUnsafeBytes { bytes in
            func part(_ range: Range<UInt32>) -> UnsafeRawBufferPointer {
                UnsafeRawBufferPointer(rebasing: bytes[Int(range.lowerBound)..<Int(range.upperBound)])
            }
            return entries.map { view(part($0.name), part($0.value)) }.withUnsafeBufferPointer(body)
        }
    }

    /// Whether the field at this place is secret.
    @inlinable
    public func isSecret(at index: Int) -> Bool { entries[index].isSecret }

    /// Makes room, so that what is appended next needs no new memory.
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

    /// The caller's credentials are secret from the start (DESIGN: secrets are dropped across origins and redacted).
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
    public var startIndex: Int { 0 }
    public var endIndex: Int { entries.count }

    /// One field as text.
    public struct Element: Sendable, Equatable {
        public let name: String
        public let value: String
        public let isSecret: Bool
    }

    public subscript(index: Int) -> Element {
        let entry = entries[index]
        return Element(name: text(entry.name), value: text(entry.value), isSecret: entry.isSecret)
    }
}

/// The UTF-8 of a text, in place where it lies in one piece.
@inline(__always)
package func withUTF8<Result>(_ text: String, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    var text = text
    return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
}
