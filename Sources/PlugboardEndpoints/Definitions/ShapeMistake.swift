import PlugboardJSON

/// What is wrong with a shape, found when the definition is read: the plugin `validator` compiles it only when a
/// request has it.
struct ShapeMistake {
    let path: JSONPath
    let reason: String

    private static let words = [
        "any", "null", "boolean", "bool", "integer", "number", "string", "array", "object",
    ]

    /// Nil if the shape has no mistake.
    static func first(in shape: JSONValue, _ path: JSONPath) -> ShapeMistake? {
        guard path.elements.count < 100 else { return ShapeMistake(path: path, reason: "is nested deeper than 100") }
        switch shape {
        case .string(let text):
            let word =
                text.utf8.last == UInt8(ascii: "?") ? String(decoding: text.utf8.dropLast(), as: UTF8.self) : text
            guard !words.contains(word) else { return nil }
            let near = Spelling.nearest(word, in: words).map { "; did you mean \($0)?" } ?? ""
            return ShapeMistake(path: path, reason: "must be one of \(words.joined(separator: ", "))\(near)")
        case .array(let elements):
            guard elements.count == 1 else {
                return ShapeMistake(path: path, reason: "must have one element: the shape of its elements")
            }
            return first(in: elements[0], path.appending(.index(0)))
        case .object(let members):
            for (name, shape) in members {
                if let mistake = first(in: shape, path.appending(.key(name))) { return mistake }
            }
            return nil
        default:
            return ShapeMistake(
                path: path, reason: "must be a kind, a list with one shape, or an object of shapes, not \(shape.kind)")
        }
    }
}
