import PlugboardKit

/// A name of one state of a representation (RFC 9110 §8.8.3).
struct EntityTag: Sendable, Equatable {
    /// As it was sent, the quotes included, the `W/` not.
    let opaque: [UInt8]
    /// Good for weak comparison only. So is what is no entity tag by the grammar, but is sent as one: servers that leave out the quotes
    /// know their tags by that.
    let isWeak: Bool

    /// Nil for an empty text.
    init?(_ text: UnsafeRawBufferPointer) {
        let text = text.trimmed
        guard !text.isEmpty else { return nil }
        let isMarked = text.count > 2 && text[0] == UInt8(ascii: "W") && text[1] == UInt8(ascii: "/")
        let tag = isMarked ? text.part(2, text.count) : text
        opaque = Array(tag)
        isWeak = isMarked || !EntityTag.isQuoted(tag)
    }

    /// RFC 9110 §8.8.3.2.
    func matchesWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }
    func matchesStrongly(_ other: EntityTag) -> Bool { !isWeak && !other.isWeak && opaque == other.opaque }

    /// As fields write it.
    var text: String { (isWeak && opaque.first == UInt8(ascii: "\"") ? "W/" : "") + Fields.text(opaque) }

    private static func isQuoted(_ tag: UnsafeRawBufferPointer) -> Bool {
        tag.count >= 2 && tag.first == UInt8(ascii: "\"") && tag.last == UInt8(ascii: "\"")
            && tag.part(1, tag.count - 1).allSatisfy { $0 == 0x21 || ($0 >= 0x23 && $0 != 0x7F) }
    }
}

/// What `If-None-Match` names (RFC 9110 §13.1.2).
enum EntityTagList: Sendable, Equatable {
    /// `*`: any state.
    case any
    case tags([EntityTag])

    /// Of all the fields of this name; nil if there is none.
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
