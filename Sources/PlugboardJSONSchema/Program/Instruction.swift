@_spi(Tape) import PlugboardJSON

/// One step of a program, in 16 bytes.
struct Instruction {
    enum Operation: UInt8 {
        // For every kind of instance. `a` is a node, or an index into the table that the operation reads.
        case call, anyOf, oneOf, not, condition, constant, enumeration, dynamic
        // Numbers: `a` is an index of the limits.
        case plainInteger, minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf
        // Strings: `a` is a number, or an index of the patterns or formats.
        case minLength, maxLength, pattern, format, content
        // Arrays: `a` is a number, a node or an index.
        case minItems, maxItems, items, contains, uniqueItems, unevaluatedItems
        // Objects
        case minProperties, maxProperties, members, required, dependency, unevaluatedProperties
    }

    var operation: Operation
    /// Whether unevaluated keywords beside it count what it evaluates.
    var marks = false
    var a: UInt32 = 0
    var b: UInt32 = 0
    /// An index of the locations.
    var location: UInt32 = 0
}

/// A schema: which kinds of instances it lets pass, and what it does for each kind.
struct Node {
    /// What is done for one kind of instance.
    struct Code {
        var start: UInt32 = 0
        var end: UInt32 = 0
    }

    static let everyKind: UInt16 = 0x3FF

    /// A bit for each kind of tokens.
    var kinds = Node.everyKind
    /// The kinds that match without further checks.
    var plainKinds: UInt16 = 0
    /// The scalar kinds whose code leads to no other schema. Set by `NodePreparation`.
    var leafKinds: UInt16 = 0
    /// What the code costs beside the value: 1, and 1 for each schema whose code stands in it.
    var weight: UInt32 = 1
    /// Whether arrays (1) or objects (2) need marks, for `unevaluatedItems` or `unevaluatedProperties`.
    var markedKinds: UInt8 = 0
    /// The resource that the schema stands in, for dynamic references.
    var resource: UInt16 = 0
    /// An index of the locations.
    var location: UInt32 = 0
    /// The location of `type`.
    var typeLocation: UInt32 = 0
    var null = Code()
    var boolean = Code()
    var number = Code()
    var string = Code()
    var array = Code()
    var object = Code()
}

extension Node {
    /// Where the codes begin; they stand in the order of the declaration.
    static let codeOffset = MemoryLayout<Node>.offset(of: \.null) ?? 0

    func code(for kind: JSONToken.Kind) -> Code {
        switch kind {
        case .object: object
        case .string, .key, .replacedKey: string
        case .array: array
        case .integer, .decimal, .bigInteger, .bigDecimal: number
        case .true, .false: boolean
        case .null: null
        }
    }
}

/// What an object's members are checked against, in one pass over them.
struct MembersPlan {
    /// The table of names: a power of two of slots, in the program's `names`.
    var table: UInt32 = 0
    var mask: UInt32 = 0
    var hasNames = false
    var requiredCount: UInt32 = 0
    /// The patterns with their nodes, in the program's `patternNodes`.
    var patternsStart: UInt32 = 0
    var patternsEnd: UInt32 = 0
    /// The node of other members; `none` without one.
    var additional = MembersPlan.none
    /// The node of the keys; `none` without one.
    var keys = MembersPlan.none
    /// Whether there are patterns, `additional` or `keys`.
    var hasRest = false
    /// Whether patterns or `keys` look at members of known names, too.
    var checksKnown = false
    /// Locations for the errors.
    var requiredLocation: UInt32 = 0
    var additionalLocation: UInt32 = 0
    var keysLocation: UInt32 = 0
    /// Of `additionalProperties: false`, the last check of a member.
    var isClosed = false

    static let none = UInt32.max
}

/// A name in the table of a plan. A free slot has no name.
struct NameSlot {
    var hash: UInt32 = 0
    var offset: UInt32 = 0
    var count: UInt32 = UInt32.max
    /// The node of the member's value; `none` if the name is only required.
    var node = MembersPlan.none
    var isRequired = false
}

struct PatternNode {
    let pattern: UInt32
    let node: UInt32
}

/// The elements of an array: some have a node of their own, the rest share one.
struct ItemsPlan {
    /// In the program's `lists`.
    var prefixStart: UInt32 = 0
    var prefixEnd: UInt32 = 0
    var rest = MembersPlan.none
}

struct ContainsPlan {
    let node: UInt32
    let least: Int
    let most: Int
    /// Whether unevaluatedItems counts the elements that it finds (from 2020-12 on).
    let marks: Bool
}

struct ConditionPlan {
    let condition: UInt32
    var then = MembersPlan.none
    var otherwise = MembersPlan.none
}

struct DependencyPlan {
    let name: NameSlot
    /// The names that must be there too, in the program's `dependentNames`.
    var start: UInt32 = 0
    var end: UInt32 = 0
    /// The node that the object must match; `none` without one.
    var node = MembersPlan.none
}

/// A reference whose target depends on the schemas that led to it.
struct DynamicPlan {
    let fallback: UInt32
    /// The targets, by resource; the outermost resource in the dynamic scope counts.
    let targets: [UInt16: UInt32]
}

/// The values of an `enum`, as tokens of the constants.
struct EnumerationPlan {
    let start: UInt32
    let end: UInt32
    /// The number of the values.
    let count: UInt32
    /// The kinds of the values, by bits.
    let kinds: UInt16
    /// If every value is a scalar and there are more than a few: their table, in the program's `tables`.
    var table: UInt32 = 0
    var mask: UInt32 = 0
    /// Whether every value is a string.
    var isText = false
}
