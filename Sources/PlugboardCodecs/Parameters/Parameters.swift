public import PlugboardJSON
import PlugboardJSONCoding
public import PlugboardMessages

/// Names and values of a request, in order; a name may occur more than once.
public struct Parameters: Sendable, Sequence, ExpressibleByDictionaryLiteral {
    /// A name and its value.
    public typealias Element = (name: String, value: JSONValue)

    private var entries: [Element] = []

    /// No parameters.
    public init() {}

    /// The members that a value encodes.
    public init(encoding value: some Encodable) throws(PlugboardError) {
        let encoded: JSONValue
        do { encoded = try JSONValueEncoder().encode(value) } catch {
            throw PlugboardError(.requestParameter, "The parameters cannot be encoded: \(error).")
        }
        guard case .object(let object) = encoded else {
            throw PlugboardError(.requestParameter, "The parameters are \(encoded.kind), and must be an object.")
        }
        entries = object.map { ($0.key, $0.value) }
    }

    /// The pairs of a literal.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        entries = elements.map { ($0.0, $0.1) }
    }

    /// Whether there are no parameters.
    public var isEmpty: Bool { entries.isEmpty }

    /// The first value of a name. Setting it replaces all of that name; nil removes them.
    public subscript(name: String) -> JSONValue? {
        get { entries.first { $0.name == name }?.value }
        set {
            let index = entries.firstIndex { $0.name == name } ?? entries.count
            entries.removeAll { $0.name == name }
            if let newValue { entries.insert((name, newValue), at: index) }
        }
    }

    /// Adds a pair at the end.
    public mutating func append(_ name: String, _ value: JSONValue) { entries.append((name, value)) }

    /// Iterates over the pairs in order.
    public func makeIterator() -> IndexingIterator<[Element]> { entries.makeIterator() }
}
