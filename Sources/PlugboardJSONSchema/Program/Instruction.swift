@_spi(Tape) import PlugboardJSON

/// One step of a program, in 16 bytes.
struct Instruction {
    enum Operation: UInt8 {
        // For every kind of instance: `a` is a node, or an index into the table of the operation.
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
    /// Whether adjacent unevaluated keywords count the members and elements that it evaluates.
    var marks = false
    var a: UInt32 = 0
    var b: UInt32 = 0
    /// An index of the locations.
    var location: UInt32 = 0
}

/// A schema: the kinds of instances that it accepts, and the code for each kind.
struct Node {
    /// The code for one kind of instance.
    struct Code {
        var start: UInt32 = 0
        var end: UInt32 = 0
    }

    static let everyKind: UInt16 = 0x3FF

    /// A bit for each kind of tokens.
    var kinds = Node.everyKind
    /// The kinds that match without further checks.
    var plainKinds: UInt16 = 0
    /// The scalar kinds whose code applies no other schema. Set by `NodePreparation`.
    var leafKinds: UInt16 = 0
    /// The cost of the code beside the value: 1, and 1 for each schema whose code is included.
    var weight: UInt32 = 1
    /// Whether arrays (1) or objects (2) need marks, for `unevaluatedItems` or `unevaluatedProperties`.
    var markedKinds: UInt8 = 0
    /// The resource that contains the schema, for dynamic references.
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
    /// The offset of the codes, which have the order of the declaration.
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

/// The checks of an object's members, in one pass over them.
struct MembersPlan {
    /// The table of names: a power of two of slots, in the program's `names`.
    var table: UInt32 = 0
    var mask: UInt32 = 0
    var hasNames = false
    var requiredCount: UInt32 = 0
    /// The patterns with their nodes, in the program's `patternNodes`.
    var patternsStart: UInt32 = 0
    var patternsEnd: UInt32 = 0
    /// The node of other members; `none` if there is none.
    var additional = MembersPlan.none
    /// The node of the keys; `none` if there is none.
    var keys = MembersPlan.none
    /// Whether there are patterns, `additional` or `keys`.
    var hasRest = false
    /// Whether patterns or `keys` also check members with known names.
    var checksKnown = false
    /// Locations for the errors.
    var requiredLocation: UInt32 = 0
    var additionalLocation: UInt32 = 0
    var keysLocation: UInt32 = 0
    /// Whether `additionalProperties` is false, so that the last check refuses a member.
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

/// The elements of an array: some have their own node, and the rest share one.
struct ItemsPlan {
    /// Where the elements with their own node start in the program's `lists`.
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
    /// The names that are required too, in the program's `dependentNames`.
    var start: UInt32 = 0
    var end: UInt32 = 0
    /// The node that the object must match; `none` if there is none.
    var node = MembersPlan.none
}

/// A reference whose target depends on the schemas that are being evaluated.
struct DynamicPlan {
    let fallback: UInt32
    /// The targets, by resource; that of the outermost resource in the dynamic scope is used.
    let targets: [UInt16: UInt32]
}

/// The values of an `enum`, as tokens of the constants.
struct EnumerationPlan {
    let start: UInt32
    let end: UInt32
    /// The number of values.
    let count: UInt32
    /// The kinds of the values, as bits.
    let kinds: UInt16
    /// The table of the values, in the program's `tables`, if all are scalars and there are more than a few.
    var table: UInt32 = 0
    var mask: UInt32 = 0
    /// Whether every value is a string.
    var isText = false
}
