/// The members of a JSON object, in the order in which they were written, each key once.
///
/// Two objects are equal if they hold equal members in any order. Look-up compares keys by code points; it is linear
/// for small objects and hashed for large ones, so a document cannot choose keys that make it slow.
public struct JSONObject: Sendable {
    public typealias Element = (key: String, value: JSONValue)

    private(set) var members: [Element]
    /// Where each key stands; only kept above `indexThreshold`.
    private var index: [IndexKey: Int]?

    private static let indexThreshold = 12

    public init() {
        members = []
        index = nil
    }

    /// Where a key stands twice, the last value takes the place of the first.
    public init(_ elements: some Sequence<(String, JSONValue)>) {
        self.init()
        for (key, value) in elements { updateValue(value, forKey: key) }
    }

    public var count: Int { members.count }
    public var isEmpty: Bool { members.isEmpty }

    /// The keys, in order.
    public var keys: [String] { members.map(\.key) }

    /// The values, in the order of their keys.
    public var values: [JSONValue] { members.map(\.value) }

    public func contains(_ key: String) -> Bool { position(of: key) != nil }

    /// A new key goes to the end, a known one keeps its place; setting nil removes the member.
    public subscript(key: String) -> JSONValue? {
        get { position(of: key).map { members[$0].value } }
        set {
            if let newValue {
                updateValue(newValue, forKey: key)
            } else {
                removeValue(forKey: key)
            }
        }
    }

    /// Returns the value that was replaced, if there was one.
    @discardableResult
    public mutating func updateValue(_ value: JSONValue, forKey key: String) -> JSONValue? {
        if let position = position(of: key) {
            let old = members[position].value
            members[position].value = value
            return old
        }
        members.append((key, value))
        if index != nil {
            index?[IndexKey(text: key)] = members.count - 1
        } else if members.count > Self.indexThreshold {
            rebuildIndex()
        }
        return nil
    }

    /// Returns the value that was removed, if there was one. Linear.
    @discardableResult
    public mutating func removeValue(forKey key: String) -> JSONValue? {
        guard let position = position(of: key) else { return nil }
        let old = members.remove(at: position).value
        rebuildIndex()
        return old
    }

    private func position(of key: String) -> Int? {
        if let index { return index[IndexKey(text: key)] }
        return members.firstIndex { $0.key.hasSameUTF8(as: key) }
    }

    private mutating func rebuildIndex() {
        guard members.count > Self.indexThreshold else {
            index = nil
            return
        }
        var index: [IndexKey: Int] = [:]
        index.reserveCapacity(members.count * 2)
        for (position, member) in members.enumerated() { index[IndexKey(text: member.key)] = position }
        self.index = index
    }

    private struct IndexKey: Hashable, Sendable {
        let text: String

        static func == (left: IndexKey, right: IndexKey) -> Bool { left.text.hasSameUTF8(as: right.text) }
        func hash(into hasher: inout Hasher) { text.hashUTF8(into: &hasher) }
    }
}

extension JSONObject: Hashable {
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.count == right.count && left.members.allSatisfy { right[$0.key] == $0.value }
    }

    public func hash(into hasher: inout Hasher) {
        // A sum does not depend on the order of its terms.
        var sum = 0
        for member in members {
            var memberHasher = Hasher()
            member.key.hashUTF8(into: &memberHasher)
            memberHasher.combine(member.value)
            sum &+= memberHasher.finalize()
        }
        hasher.combine(members.count)
        hasher.combine(sum)
    }
}

extension JSONObject: Sequence {
    public var underestimatedCount: Int { members.count }

    public func makeIterator() -> IndexingIterator<[Element]> { members.makeIterator() }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Where a key stands twice, the last one wins.
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }

    public typealias Key = String
    public typealias Value = JSONValue
}

extension JSONObject: CustomStringConvertible {
    /// The object as compact JSON.
    public var description: String { JSONValue.object(self).description }
}
