import PlugboardJSON
import PlugboardJSONCoding
import PlugboardMessages

/// Named values of a request: for its query, a form, or a JSON object.
///
///     let parameters: Parameters = ["board": board, "page": 2, "tags": ["swift", "linux"]]
///
/// The order is kept. A literal accepts values of any `ParameterValue` type; a nested literal of several types must be
/// a `JSONValue`: `["user": ["name": "Ada", "age": 36] as JSONValue]`. A name can occur more than once.
public struct Parameters: Sendable {
    /// A parameter.
    public typealias Element = (name: String, value: JSONValue)

    /// A structure, because copying it costs less than copying a tuple.
    struct Entry: Hashable {
        var name: String
        var value: JSONValue {
            // A replaced value has no properties whose names a codec spells differently.
            didSet { if let member { self.member = Member(name: member.name, value: value) } }
        }
        /// The form of the parameter in a body, if it differs; nil for name and value.
        var member: Member?

        static func == (left: Entry, right: Entry) -> Bool { left.name == right.name && left.value == right.value }

        func hash(into hasher: inout Hasher) {
            hasher.combine(name)
            hasher.combine(value)
        }
    }

    /// A parameter with names as a codec spells them. A class, so that entries stay small.
    final class Member: Sendable {
        let name: String
        let value: JSONValue

        init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    private(set) var entries: [Entry] = []
    /// The names of values without a JSON form. They are stored, because a literal cannot throw.
    private var unwritable: [String] = []

    /// Creates an empty list.
    public init() {}

    /// Creates parameters from the members of an object.
    public init(_ object: JSONObject) { entries = object.map { Entry(name: $0.key, value: $0.value) } }

    /// Creates parameters from the properties of a value, which must encode an object. Nil properties are omitted.
    ///
    /// In queries and forms, the names are those of the properties. In a body of JSON, the codec's spelling of keys is
    /// used.
    ///
    /// Throws `request.parameter` if the value cannot be encoded, or is not an object.
    ///
    /// - Parameter encoder: The encoder of types and names, such as that of a `JSONCodec`. With nil, the encoder of the
    ///   body's codec in the parameters of an endpoint, otherwise that of `CodecSet.standard`.
    public init(encoding value: some Encodable, with encoder: JSONValueEncoder? = nil) throws(PlugboardError) {
        if let encoder {
            try self.init(encoded: value, by: encoder)
            return
        }
        var encoder = Parameters.encoder ?? CodecSet.standardJSON.encoder
        let spelled = encoder.keys == .unchanged ? nil : try Parameters(encoded: value, by: encoder)
        encoder.keys = .unchanged
        try self.init(encoded: value, by: encoder)
        guard let spelled else { return }
        // Both have the same members in the same order, unless two members get the same name.
        guard spelled.entries.count == entries.count else {
            throw PlugboardError(
                .requestParameter, "Two properties of \(type(of: value)) have one name as the codec spells them.")
        }
        for (index, entry) in spelled.entries.enumerated() where entry != entries[index] {
            entries[index].member = Member(name: entry.name, value: entry.value)
        }
    }

    private init(encoded value: some Encodable, by encoder: JSONValueEncoder) throws(PlugboardError) {
        let encoded: JSONValue
        do throws(JSONEncodingError) {
            encoded = try encoder.encode(value)
        } catch {
            throw PlugboardError(.requestParameter, "The parameters cannot be encoded: \(error).")
        }
        guard case .object(let object) = encoded else {
            throw PlugboardError(
                .requestParameter, "Parameters are named values, but \(type(of: value)) is encoded as \(encoded.kind).")
        }
        self.init(object)
    }

    /// The encoder of the body's codec, while an endpoint's parameters are evaluated.
    @TaskLocal package static var encoder: JSONValueEncoder?

    /// The number of parameters.
    public var count: Int { entries.count + unwritable.count }
    /// Whether there are no parameters.
    public var isEmpty: Bool { count == 0 }

    /// The value of the first parameter of this name, or nil. Setting it replaces all parameters of the name by one, at
    /// the position of the first, or appends it; nil removes them.
    public subscript(name: String) -> JSONValue? {
        get { entries.first { $0.name == name }?.value }
        set {
            unwritable.removeAll { $0 == name }
            let first = entries.firstIndex { $0.name == name }
            guard let newValue else { return entries.removeAll { $0.name == name } }
            guard let first else { return entries.append(Entry(name: name, value: newValue)) }
            entries[first].value = newValue
            let rest = entries[(first + 1)...].filter { $0.name != name }
            entries.replaceSubrange((first + 1)..., with: rest)
        }
    }

    /// Adds a parameter at the end; other parameters with the same name are kept.
    public mutating func append(_ name: String, _ value: some ParameterValue) {
        if let value = value.parameterValue {
            entries.append(Entry(name: name, value: value))
        } else {
            unwritable.append(name)
        }
    }

    /// Replaces all parameters with this name by one, or adds it. Values without a JSON form are refused later, when
    /// the parameters are written.
    public mutating func set(_ name: String, _ value: some ParameterValue) {
        self[name] = value.parameterValue
        if value.parameterValue == nil { unwritable.append(name) }
    }

    /// Removes the parameters whose names match a condition.
    package mutating func removeAll(where isRemoved: (String) -> Bool) {
        entries.removeAll { isRemoved($0.name) }
        if !unwritable.isEmpty { unwritable.removeAll(where: isRemoved) }
    }

    /// These parameters and others. Parameters whose names occur in the others are replaced.
    public func merging(_ others: Parameters) -> Parameters {
        if isEmpty { return others }
        if others.isEmpty { return self }
        let names = Set(others.entries.map(\.name) + others.unwritable)
        var merged = self
        merged.removeAll { names.contains($0) }
        merged.entries += others.entries
        merged.unwritable += others.unwritable
        return merged
    }

    /// The parameters as a JSON object; of equal names, the last value is used.
    ///
    /// Throws `request.parameter` if a value has no JSON form.
    public func object() throws(PlugboardError) -> JSONObject {
        try check()
        return JSONObject(entries.map { ($0.name, $0.value) })
    }

    /// Throws for the first value that has no JSON form.
    func check() throws(PlugboardError) {
        guard let name = unwritable.first else { return }
        throw PlugboardError(
            .requestParameter, "The parameter \(Printable.text(name)) is not a finite number, and cannot be written.")
    }
}

extension Parameters: Sequence {
    /// Iterates over the parameters in their order.
    public func makeIterator() -> Iterator { Iterator(entries: entries.makeIterator()) }

    /// Iterates over parameters.
    public struct Iterator: IteratorProtocol {
        var entries: IndexingIterator<[Entry]>

        /// The next parameter, or nil.
        public mutating func next() -> Parameters.Element? { entries.next().map { ($0.name, $0.value) } }
    }
}

extension Parameters: ExpressibleByDictionaryLiteral {
    /// Creates parameters from a literal, in its order, including duplicates.
    public init(dictionaryLiteral elements: (String, any ParameterValue)...) {
        for (name, value) in elements { append(name, value) }
    }
}

extension Parameters: Hashable {
    /// Compares names and values in their order.
    public static func == (left: Parameters, right: Parameters) -> Bool {
        left.unwritable == right.unwritable && left.entries == right.entries
    }

    /// Hashes names and values in their order.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(entries)
    }
}

extension Parameters: Encodable {
    /// Encodes the parameters as an object; of equal names, the last value is used.
    public func encode(to encoder: any Encoder) throws {
        try check()
        let members = entries.map { ($0.member?.name ?? $0.name, $0.member?.value ?? $0.value) }
        try JSONValue.object(JSONObject(members)).encode(to: encoder)
    }
}

extension Parameters: CustomStringConvertible, CustomReflectable {
    /// The names only, because values may be secret.
    public var description: String { "[\(entries.map { Printable.text($0.name) }.joined(separator: ", "))]" }

    /// Shows the names only, because values may be secret.
    public var customMirror: Mirror {
        Mirror(self, children: entries.map { (label: Printable.text($0.name), value: "…") }, displayStyle: .struct)
    }
}
