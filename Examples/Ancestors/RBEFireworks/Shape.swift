import PlugboardEndpoints

/// What a JSON value has to be: the short map of names and classes, as `["userId": .number, "nick": .string]`.
indirect enum Shape: Sendable, ExpressibleByDictionaryLiteral {
    case string
    case number
    case list(Shape)
    case object([String: Shape])

    init(dictionaryLiteral members: (String, Shape)...) {
        self = .object(Dictionary(members) { $1 })
    }

    /// The path of the first value that is of another kind, or nil.
    func mismatch(in value: JSONValue?, at path: String = "$") -> String? {
        switch (self, value) {
        case (.string, .string?), (.number, .number?): return nil
        case (.list(let shape), .array(let elements)?):
            for (index, element) in elements.enumerated() {
                if let found = shape.mismatch(in: element, at: "\(path)[\(index)]") { return found }
            }
            return nil
        case (.object(let members), .object(let object)?):
            for (name, shape) in members.sorted(by: { $0.key < $1.key }) {
                if let found = shape.mismatch(in: object[name], at: "\(path).\(name)") { return found }
            }
            return nil
        default: return path
        }
    }
}

extension PlugboardError.Code {
    /// The JSON of a response has not the shape that its endpoint wants.
    static let shape: Self = "com.example.shape"
}

extension ReceivedResponse {
    /// Throws if the body is not JSON of this shape.
    func requireShape(_ shape: Shape) throws(PlugboardError) {
        if let path = shape.mismatch(in: try json) {
            throw PlugboardError(.shape, "The value at \(path) is of the wrong type, or missing.")
        }
    }
}
