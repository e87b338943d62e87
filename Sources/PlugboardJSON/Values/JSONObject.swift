/// The members of a JSON object, in their order, each key once.
///
/// Two objects are equal if they have equal members in any order. Keys are compared by code points. Look-up is linear
/// in small objects and uses a hash table in large ones, so that no choice of keys makes it slow.
public struct JSONObject: Sendable {
    /// A member.
    public typealias Element = (key: String, value: JSONValue)

    private(set) var members: [Element]
    /// The index of each key; used only above `indexThreshold`.
    private var index: [IndexKey: Int]?

    private static let indexThreshold = 12

    /// Creates an object without members.
    public init() {
        members = []
        index = nil
    }

    /// Creates an object with these members. Of equal keys, the last value is used, at the position of the first.
    public init(_ elements: some Sequence<(String, JSONValue)>) {
        self.init()
        for (key, value) in elements { updateValue(value, forKey: key) }
    }

    /// Creates an object with these members, whose keys must all be different.
    init(unique members: [Element]) {
        self.members = members
        rebuildIndex()
    }

    /// The number of members.
    public var count: Int { members.count }
    /// Whether there are no members.
    public var isEmpty: Bool { members.isEmpty }

    /// The keys, in order.
    public var keys: [String] { members.map(\.key) }

    /// The values, in the order of their keys.
    public var values: [JSONValue] { members.map(\.value) }

    /// Whether there is a member with this key.
    public func contains(_ key: String) -> Bool { position(of: key) != nil }

    /// The value of a member. A new key is appended, an existing one keeps its position; nil removes the member.
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

    /// Sets a value and returns the one that it replaced, or nil.
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

    /// Removes a member in linear time and returns its value, or nil.
    @discardableResult
    public mutating func removeValue(forKey key: String) -> JSONValue? {
        guard let position = position(of: key) else { return nil }
        let old = members.remove(at: position).value
        rebuildIndex()
        return old
    }

    /// The index of a member; nil if there is none.
    package func position(of key: String) -> Int? {
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
    /// Compares the members in any order.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.count == right.count && left.members.allSatisfy { right[$0.key] == $0.value }
    }

    /// Hashes the members, independent of their order.
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
    /// The number of members.
    public var underestimatedCount: Int { members.count }

    /// Iterates over the members in their order.
    public func makeIterator() -> IndexingIterator<[Element]> { members.makeIterator() }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// The object of a literal. Of equal keys, the last value is used.
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }

    /// The keys of a literal.
    public typealias Key = String
    /// The values of a literal.
    public typealias Value = JSONValue
}

extension JSONObject: CustomStringConvertible {
    /// The object as compact JSON.
    public var description: String { JSONValue.object(self).description }
}
