/// A step of a path: an index in a list, or a name.
struct XMLKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(index: Int) {
        stringValue = "\(index)"
        intValue = index
    }
    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }
    init?(intValue: Int) { self.init(index: intValue) }
}

/// Paths as errors print them: `topics.label[2].@id`.
enum XMLPath {
    static func text(_ keys: [any CodingKey]) -> String {
        guard !keys.isEmpty else { return "(root)" }
        return keys.reduce(into: "") { text, key in
            if let index = (key as? XMLKey)?.intValue {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
    }
}
