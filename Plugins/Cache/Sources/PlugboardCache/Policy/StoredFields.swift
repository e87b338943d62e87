import PlugboardKit

/// Which fields of a response are stored, and how later responses update them (RFC 9111 §3.1, §3.2).
enum StoredFields {
    /// The fields of a response that may be stored: without those of the connection, and with a `Date`, which the
    /// recipient adds if the origin has no clock (RFC 9110 §6.6.1).
    ///
    /// - Parameter dropped: Fields that a shared cache must not store (RFC 9111 §5.2.2.7).
    static func stored(_ fields: Fields, dropping dropped: [FieldName] = [], received: Duration) -> Fields {
        var kept = filtered(fields, dropping: dropped)
        if !kept.contains(.date) { kept.append(.date, HTTPDate(received.bounded).description) }
        return kept
    }

    /// Stored fields updated by a later response (RFC 9111 §3.2): its fields replace those of the same name.
    ///
    /// Fields that describe the stored bytes do not change; for a part, this includes `Content-Range`. `Content-Type`
    /// changes only within the same media type, because frameworks add another one to a 304. An old `Age` is removed,
    /// because it belongs to the old `Date`.
    static func updated(
        _ stored: Fields, by response: Fields, isPartial: Bool = false, dropping dropped: [FieldName] = [],
        received: Duration
    ) -> Fields {
        var updates = StoredFields.stored(response, dropping: dropped, received: received)
        updates.removeAll { name, value in isOfBody(name) || name.equals("content-type") && !isSameType(value, stored) }
        if isPartial { updates.remove(.contentRange) }
        var replaced = Names(updates.count)
        updates.forEachField { name, _ in replaced.insert(name) }
        var fields = Fields()
        fields.reserve(fields: stored.count + updates.count, bytes: stored.byteCount + updates.byteCount)
        append(stored, to: &fields) { !$0.equals("age") && !replaced.contains($0) }
        append(updates, to: &fields)
        return fields
    }

    private static func filtered(_ fields: Fields, dropping dropped: [FieldName]) -> Fields {
        var (kept, bytes) = (fields, 0)
        var named = Names()
        for name in dropped { withUTF8Bytes(name.text) { named.insert($0) } }
        kept.removeAll { name, value in
            guard isOfConnection(name) else { return false }
            bytes += name.count + value.count
            if name.equals("connection") { named.insertMembers(value) { !isOfConnection($0) } }
            return true
        }
        if !named.isEmpty {
            kept.removeAll { name, value in
                guard named.contains(name) else { return false }
                bytes += name.count + value.count
                return true
            }
        }
        // The kept fields share the memory of all fields, so they are copied if many bytes were removed.
        if fields.count - kept.count <= sharingLimit, bytes <= sharingByteLimit { return kept }
        var copy = Fields()
        copy.reserve(fields: kept.count + 1, bytes: kept.byteCount + 40)
        append(kept, to: &copy)
        return copy
    }

    /// The most fields, and bytes of fields, that stay in the memory of stored fields without being stored.
    private static let sharingLimit = 4
    private static let sharingByteLimit = 256

    /// Field names without regard to case. A set, because a server may send ten thousand fields and name a hundred
    /// thousand.
    private struct Names {
        private var names: Set<[UInt8]> = []
        /// A bit for the length of each name, because most fields have another length and need no look-up.
        private var lengths: UInt64 = 0

        var isEmpty: Bool { names.isEmpty }

        init(_ count: Int = 0) { if count > 0 { names.reserveCapacity(count) } }

        mutating func insert(_ name: UnsafeRawBufferPointer) {
            names.insert(name.map(lowercaseASCII))
            lengths |= Names.bit(name)
        }

        /// Inserts those members of a list for which the condition is true.
        mutating func insertMembers(
            _ value: UnsafeRawBufferPointer, where isInserted: (UnsafeRawBufferPointer) -> Bool
        ) {
            var list = FieldList(value)
            while let member = list.next() {
                if !member.isEmpty, isInserted(member) { insert(member) }
            }
        }

        func contains(_ name: UnsafeRawBufferPointer) -> Bool {
            lengths & Names.bit(name) != 0 && names.contains(name.map(lowercaseASCII))
        }

        private static func bit(_ name: UnsafeRawBufferPointer) -> UInt64 { 1 << UInt64(min(name.count, 63)) }
    }

    private static func append(
        _ fields: Fields, to kept: inout Fields, where isKept: (UnsafeRawBufferPointer) -> Bool = { _ in true }
    ) {
        for index in 0..<fields.count {
            fields.withField(index) { name, value in
                if isKept(name) { kept.append(name, value, isSecret: fields.isSecret(at: index)) }
            }
        }
    }

    private static func isSameType(_ value: UnsafeRawBufferPointer, _ stored: Fields) -> Bool {
        func type(_ value: UnsafeRawBufferPointer) -> [UInt8] {
            UnsafeRawBufferPointer(rebasing: value.prefix { $0 != UInt8(ascii: ";") }).trimmed.map(lowercaseASCII)
        }
        return withUTF8Bytes("content-type") { name in
            stored.withValue(name) { $0.map { type($0) == type(value) } ?? false }
        }
    }

    /// Fields that describe the bytes of the body.
    private static func isOfBody(_ name: UnsafeRawBufferPointer) -> Bool {
        switch name.count {
        case 14: name.equals("content-length") || name.equals("content-digest")
        case 16: name.equals("content-encoding")
        default: false
        }
    }

    /// Fields of the connection (RFC 9110 §7.6.1, RFC 9111 §3.1), of trailers, which are not stored, and the obsolete
    /// `Warning` (RFC 9111 §5.5).
    private static func isOfConnection(_ name: UnsafeRawBufferPointer) -> Bool {
        switch name.count {
        case 2: name.equals("te")
        case 7: name.equals("upgrade") || name.equals("trailer") || name.equals("warning")
        case 10: name.equals("connection") || name.equals("keep-alive")
        case 16: name.equals("proxy-connection")
        case 17: name.equals("transfer-encoding")
        case 18: name.equals("proxy-authenticate")
        case 19: name.equals("proxy-authorization")
        case 25: name.equals("proxy-authentication-info")
        default: false
        }
    }
}
