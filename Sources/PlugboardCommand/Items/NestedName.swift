import PlugboardJSON
import PlugboardKit

/// The name of an item as a path into JSON, after HTTPie: `a[b]` is a member of an object, `a[]` the next element of a
/// list, `a[0]` the element of an index, `[]` an element of a list that is the whole body.
struct NestedName {
    private enum Key {
        case member(String)
        case index(Int)
        case next
    }

    /// The highest index: a list gets null for each element that no item gives.
    private static let highestIndex = 9999
    /// The most keys of a name. The tree is built, written and released by recursion.
    private static let deepest = 64

    private let keys: [Key]
    private let label: String

    init(_ item: RequestItem) throws(CommandFailure) {
        label = item.label
        let letters = item.letters
        func text(_ range: Range<Int>) -> String {
            letters[range].reduce(into: "") { $0.unicodeScalars.append($1.scalar) }
        }
        func first(_ scalar: Unicode.Scalar, from start: Int) -> Int? {
            letters[start...].firstIndex { $0.scalar == scalar && !$0.isEscaped }
        }
        var start = first("[", from: 0) ?? letters.count
        var keys: [Key] = start > 0 ? [.member(text(0..<start))] : []
        while start < letters.count {
            guard keys.count < NestedName.deepest else {
                throw CommandFailure(
                    .usage,
                    "\(Printable.text(String(item.name.prefix(40))))… is nested deeper than \(NestedName.deepest) "
                        + "levels.")
            }
            guard letters[start].scalar == "[", !letters[start].isEscaped, let end = first("]", from: start) else {
                throw CommandFailure(
                    .usage,
                    "\(item.label) the brackets of the name do not match: a[b], a[] and a[0] are nested, and \\[ is a "
                        + "bracket.")
            }
            let key = text(start + 1..<end)
            if end == start + 1 {
                keys.append(.next)
            } else if let index = NestedName.index(letters[start + 1..<end]) {
                guard index <= NestedName.highestIndex else {
                    throw CommandFailure(
                        .usage,
                        "\(item.label) the index is larger than \(NestedName.highestIndex), the largest allowed.")
                }
                keys.append(.index(index))
            } else {
                keys.append(.member(key))
            }
            start = end + 1
        }
        self.keys = keys
    }

    /// The number of digits that are not escaped: `a[\1]` is a member.
    private static func index(_ letters: ArraySlice<(scalar: Unicode.Scalar, isEscaped: Bool)>) -> Int? {
        guard letters.allSatisfy({ ("0"..."9").contains($0.scalar) && !$0.isEscaped }) else { return nil }
        return letters.count > 9 ? Int.max : letters.reduce(0) { $0 * 10 + Int($1.scalar.value - 0x30) }
    }

    /// Puts the value into the tree, in which null is an empty place.
    func insert(_ value: JSONValue, into root: inout JSONValue) throws(CommandFailure) {
        try insert(value, at: keys[...], into: &root)
    }

    private func insert(
        _ value: JSONValue, at keys: ArraySlice<Key>, into place: inout JSONValue
    ) throws(CommandFailure) {
        guard let key = keys.first else {
            place = value
            return
        }
        // Containers are taken out of their places, so that they are changed and not copied for each item.
        switch key {
        case .member(let name):
            guard var object = NestedName.takeObject(&place) else { throw mismatch(place) }
            var member = object.updateValue(.null, forKey: name) ?? .null
            try insert(value, at: keys.dropFirst(), into: &member)
            object.updateValue(member, forKey: name)
            place = .object(object)
        case .index, .next:
            guard var list = NestedName.takeList(&place) else { throw mismatch(place) }
            var index = list.count
            if case .index(let given) = key { index = given }
            while list.count <= index { list.append(.null) }
            try insert(value, at: keys.dropFirst(), into: &list[index])
            place = .array(list)
        }
    }

    private static func takeObject(_ place: inout JSONValue) -> JSONObject? {
        switch place {
        case .null: return [:]
        case .object(let object):
            place = .null
            return object
        default: return nil
        }
    }

    private static func takeList(_ place: inout JSONValue) -> [JSONValue]? {
        switch place {
        case .null: return []
        case .array(let list):
            place = .null
            return list
        default: return nil
        }
    }

    private func mismatch(_ place: JSONValue) -> CommandFailure {
        CommandFailure(
            .usage, "\(label) an earlier item makes this place a value of another kind: \(NestedName.kind(of: place)).")
    }

    private static func kind(of value: JSONValue) -> String {
        switch value {
        case .object: "an object"
        case .array: "a list"
        default: "a single value"
        }
    }
}
