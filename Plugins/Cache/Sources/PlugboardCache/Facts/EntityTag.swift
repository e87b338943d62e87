import PlugboardKit

/// Identifies one state of a representation (RFC 9110 §8.8.3).
struct EntityTag: Sendable, Equatable {
    /// The tag as it was sent, with its quotes and without `W/`.
    let opaque: [UInt8]
    /// Whether only weak comparison is allowed. True also for malformed tags: servers that omit the quotes recognize
    /// their tags nevertheless.
    let isWeak: Bool

    /// Nil for an empty value.
    init?(_ text: UnsafeRawBufferPointer) {
        let text = text.trimmed
        guard !text.isEmpty else { return nil }
        let isMarked = text.count > 2 && text[0] == UInt8(ascii: "W") && text[1] == UInt8(ascii: "/")
        let tag = isMarked ? text.part(2, text.count) : text
        opaque = Array(tag)
        isWeak = isMarked || !EntityTag.isQuoted(tag)
    }

    /// Weak comparison (RFC 9110 §8.8.3.2).
    func matchesWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }
    /// Strong comparison (RFC 9110 §8.8.3.2).
    func matchesStrongly(_ other: EntityTag) -> Bool { !isWeak && !other.isWeak && opaque == other.opaque }

    /// The tag as a field value.
    var text: String { (isWeak && opaque.first == UInt8(ascii: "\"") ? "W/" : "") + Fields.text(opaque) }

    private static func isQuoted(_ tag: UnsafeRawBufferPointer) -> Bool {
        tag.count >= 2 && tag.first == UInt8(ascii: "\"") && tag.last == UInt8(ascii: "\"")
            && tag.part(1, tag.count - 1).allSatisfy { $0 == 0x21 || ($0 >= 0x23 && $0 != 0x7F) }
    }
}

/// The value of `If-None-Match` (RFC 9110 §13.1.2).
enum EntityTagList: Sendable, Equatable {
    /// `*`, which matches any state.
    case any
    case tags([EntityTag])

    /// Combines all fields of this name; nil without any.
    init?(_ name: FieldName, of fields: Fields) {
        guard fields.contains(name) else { return nil }
        var tags: [EntityTag] = []
        var isAny = false
        fields.forEachMember(name, hasEscapes: false) { member in
            if member.elementsEqual("*".utf8) { isAny = true } else if let tag = EntityTag(member) { tags.append(tag) }
        }
        self = isAny ? .any : .tags(tags)
    }

    func containsWeakly(_ tag: EntityTag?) -> Bool {
        switch self {
        case .any: true
        case .tags(let tags): tag.map { tag in tags.contains { $0.matchesWeakly(tag) } } ?? false
        }
    }
}
