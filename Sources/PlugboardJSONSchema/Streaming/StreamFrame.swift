/// An array or object of a streamed document that has not ended.
struct StreamFrame {
    let isObject: Bool
    /// The number of elements or members that have begun; if an object's keys are counted, each key counts once.
    var count = 0
    /// The starts of its schemas, checks, bits and path in the lists of the check.
    let applied: Int
    let checks: Int
    let bits: Int
    let path: Int
    /// The index of its set of keys; -1 if equal keys are irrelevant.
    var keySet = -1
    /// Whether a check is made at the end of each element.
    var looksAtElements = false
    /// The index of its table of scalars; -1 if elements may be equal.
    var scalars = -1
}

/// A schema that a value must match, and the step to it.
struct AppliedSchema {
    /// The step from the applying schema to this one.
    enum Step: UInt8 {
        case root, call, property, pattern, additional, prefix, rest
    }

    let node: UInt32
    /// The index of the schema that applies this one; -1 for the root.
    let parent: Int32
    let step: Step
    /// An index of the locations, a position, or the number of the frame whose path has the name.
    var detail: UInt32 = 0
    /// Whether it is evaluated, with all its subschemas, at the end of an enclosing array or object.
    var isCovered = false
}

/// A check of an open array or object.
struct StreamCheck {
    enum Kind: UInt8 {
        /// Checks members or elements as they arrive.
        case members, items
        /// Checks their number.
        case least, most
        /// Evaluates an instruction or a whole schema at the end.
        case instruction, node
        /// `anyOf` or `oneOf` of an object: the bits are the schemas that have not been excluded by a member.
        case branches
        /// `contains`: matching elements are counted when they end.
        case contains
        /// `uniqueItems`: fails at a scalar that equals an earlier element; the rest is compared at the array's end.
        case unique
    }

    let kind: Kind
    /// The index of a plan, a limit, an instruction or a node.
    let index: UInt32
    /// The schema that the check belongs to.
    let applied: Int32
    /// An index of the locations, or of the instructions.
    var detail: UInt32 = 0
    /// The start of the bits of required names or branches, or the number of names or elements that were found.
    var bits = 0
    var found = 0
}

/// A key, as two hashes with seeds that differ between processes: collisions are improbable and cannot be chosen.
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
