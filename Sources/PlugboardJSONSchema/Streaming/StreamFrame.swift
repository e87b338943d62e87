/// An array or object of a streamed document that has not ended.
struct StreamFrame {
    let isObject: Bool
    /// The elements or members that have begun; of an object whose keys are counted, each key once.
    var count = 0
    /// Where its schemas, checks, bits and path begin in the lists of the check.
    let applied: Int
    let checks: Int
    let bits: Int
    let path: Int
    /// The index of its set of keys; -1 if equal keys make no difference.
    var keySet = -1
    /// Whether a check looks at the ends of its elements.
    var looksAtElements = false
    /// The index of its table of scalars; -1 if they may be equal.
    var scalars = -1
}

/// A schema that a value has to match, and how it is reached.
struct AppliedSchema {
    /// How it is reached from the schema before it.
    enum Step: UInt8 {
        case root, call, property, pattern, additional, prefix, rest
    }

    let node: UInt32
    /// The index of the schema that applies this one; -1 for the root.
    let parent: Int32
    let step: Step
    /// An index of the locations, a position, or the number of the frame whose path has the name.
    var detail: UInt32 = 0
    /// Whether it is evaluated at the end of an array or object around the value, with all that it applies.
    var isCovered = false
}

/// What an open array or object is checked against.
struct StreamCheck {
    enum Kind: UInt8 {
        /// Its members or elements, while they arrive.
        case members, items
        /// The number of them.
        case least, most
        /// At its end: an instruction, or a whole schema.
        case instruction, node
        /// `anyOf` or `oneOf` of an object: the bits are the schemas that no member has excluded.
        case branches
        /// `contains`: the elements that match are counted as they end.
        case contains
        /// `uniqueItems`: a scalar that an earlier element equals decides; the rest is compared at the array's end.
        case unique
    }

    let kind: Kind
    /// A plan, a limit, an instruction or a node.
    let index: UInt32
    /// The schema that the check belongs to.
    let applied: Int32
    /// An index of the locations, or of the instructions.
    var detail: UInt32 = 0
    /// Where the bits of required names, or of branches, begin, and how many names or elements were found.
    var bits = 0
    var found = 0
}

/// A key, by two hashes with seeds that differ from process to process: equal ones are not met by chance or by choice.
struct StreamKey: Hashable {
    let first: Int
    let second: Int

    init(_ text: UnsafeRawBufferPointer) {
        var hasher = Hasher()
        hasher.combine(bytes: text)
        first = hasher.finalize()
        hasher = Hasher()
        hasher.combine(text.count)
        hasher.combine(bytes: text)
        second = hasher.finalize()
    }
}
