@_spi(Tape) import PlugboardJSON

/// A compiled schema: flat lists that the evaluation accesses through pointers.
final class Program: @unchecked Sendable {  // Nothing changes after the initializer.
    struct Location {
        /// The keyword, relative to its schema: `minimum`, `allOf/0`.
        let keyword: String
        /// The URI of the schema's document, with the JSON Pointer to the keyword.
        let absolute: String
    }

    let root: UInt32
    /// The nodes as they were compiled, for errors and streams.
    let nodes: FlatList<Node>
    /// The same nodes after `NodePreparation`, and additional ones, for the evaluation.
    let preparedNodes: FlatList<Node>
    /// The number of compiled instructions.
    let ruleCount: Int
    let code: FlatList<Instruction>
    let lists: FlatList<UInt32>
    let plans: FlatList<MembersPlan>
    let names: FlatList<NameSlot>
    let patternNodes: FlatList<PatternNode>
    let items: FlatList<ItemsPlan>
    let contains: FlatList<ContainsPlan>
    let conditions: FlatList<ConditionPlan>
    let dependencies: FlatList<DependencyPlan>
    /// The names that dependencies require.
    let dependentNames: FlatList<NameSlot>
    let dynamics: [DynamicPlan]
    let enumerations: FlatList<EnumerationPlan>
    let tables: FlatList<UInt32>
    let limits: FlatList<Limit>
    /// The same limits as numbers of any size.
    let numbers: [JSONNumber]
    let patterns: [Pattern]
    let patternCodes: FlatList<PatternCode>
    /// Whether a pattern is more than plain text.
    let usesPatterns: Bool
    let formats: FlatList<Format>
    let contents: FlatList<ContentCheck>
    /// The values of `const` and `enum`, as one array.
    let constants: JSONDocument
    /// The bytes of the names.
    let nameBytes: FlatList<UInt8>
    let locations: [Location]
    let hasDynamicScope: Bool
    /// The seed of the hashes of keys and of listed strings.
    let seed = JSONKeyHash.processSeed

    init(_ draft: ProgramDraft, root: UInt32, nameBytes: [UInt8], constants: JSONDocument) {
        self.root = root
        ruleCount = draft.code.count
        var preparation = NodePreparation(draft, nameBytes)
        preparation.run()
        preparedNodes = FlatList(preparation.nodes)
        let draft = preparation.draft
        nodes = FlatList(draft.nodes)
        code = FlatList(draft.code)
        lists = FlatList(draft.lists)
        plans = FlatList(draft.plans)
        names = FlatList(draft.names)
        patternNodes = FlatList(draft.patternNodes)
        items = FlatList(draft.items)
        contains = FlatList(draft.contains)
        conditions = FlatList(draft.conditions)
        dependencies = FlatList(draft.dependencies)
        dependentNames = FlatList(draft.dependentNames)
        dynamics = draft.dynamics
        enumerations = FlatList(draft.enumerations)
        tables = FlatList(draft.tables)
        limits = FlatList(draft.numbers.map(Limit.init))
        numbers = draft.numbers
        patterns = draft.patterns
        patternCodes = FlatList(draft.patterns.map(\.code))
        usesPatterns = draft.patterns.contains { $0.code.code != nil }
        formats = FlatList(draft.formats)
        contents = FlatList(draft.contents)
        self.constants = constants
        self.nameBytes = FlatList(nameBytes)
        locations = draft.locations
        hasDynamicScope = !draft.dynamics.isEmpty
    }
}

/// The lists of a program that is being compiled.
struct ProgramDraft {
    var nodes: [Node] = []
    var code: [Instruction] = []
    var lists: [UInt32] = []
    var plans: [MembersPlan] = []
    var names: [NameSlot] = []
    var patternNodes: [PatternNode] = []
    var items: [ItemsPlan] = []
    var contains: [ContainsPlan] = []
    var conditions: [ConditionPlan] = []
    var dependencies: [DependencyPlan] = []
    var dependentNames: [NameSlot] = []
    var dynamics: [DynamicPlan] = []
    var enumerations: [EnumerationPlan] = []
    var tables: [UInt32] = []
    var numbers: [JSONNumber] = []
    var patterns: [Pattern] = []
    var formats: [Format] = []
    var contents: [ContentCheck] = []
    var locations: [Program.Location] = []
}

/// An array that never changes, read through its address.
final class FlatList<Element>: @unchecked Sendable {  // Nothing changes after the initializer.
    let base: UnsafeMutablePointer<Element>
    let count: Int

    init(_ elements: [Element]) {
        count = elements.count
        base = .allocate(capacity: max(1, count))
        elements.withUnsafeBufferPointer { buffer in
            if let address = buffer.baseAddress { base.initialize(from: address, count: buffer.count) }
        }
    }

    deinit {
        base.deinitialize(count: count)
        base.deallocate()
    }
}
