@_spi(Tape) import PlugboardJSON

/// Prepares the nodes that the evaluation reads: code of `$ref` and `allOf` is included in the code of the schema
/// itself, and the properties of several such schemas are merged into one table.
///
/// Errors and streams use the nodes as they were compiled, because these name the places of the schemas.
struct NodePreparation {
    /// The kinds that share a code.
    private struct Group: Sendable {
        let bits: UInt16
        /// The bit in `markedKinds`.
        var mark: UInt8 = 0
        let code: WritableKeyPath<Node, Node.Code> & Sendable
    }

    private static let groups = [
        Group(bits: bits(.null), code: \.null), Group(bits: bits(.false, .true), code: \.boolean),
        Group(bits: bits(.integer, .decimal, .bigInteger, .bigDecimal), code: \.number),
        Group(bits: bits(.string), code: \.string), Group(bits: bits(.array), mark: 1, code: \.array),
        Group(bits: bits(.object), mark: 2, code: \.object),
    ]
    /// The most instructions of one code, and the most nested schemas whose code it may include.
    private static let (codeLimit, nestingLimit) = (64, 16)

    private(set) var draft: ProgramDraft
    private(set) var nodes: [Node] = []
    private let nameBytes: [UInt8]
    /// The remaining number of instructions and names that may be copied, so that the program stays small.
    private var left: Int
    /// The kinds of the code that is being prepared.
    private var kinds: UInt16 = 0
    private var code: [Instruction] = []
    private var calls: UInt32 = 0
    private var isChanged = false

    init(_ draft: ProgramDraft, _ nameBytes: [UInt8]) {
        self.draft = draft
        self.nameBytes = nameBytes
        left = 4096 + 16 * (draft.code.count + draft.names.count)
    }

    mutating func run() {
        // With dynamic references, the entered schemas matter.
        let expands = draft.dynamics.isEmpty
        nodes = draft.nodes
        for index in draft.nodes.indices {
            var node = nodes[index]
            if expands { expand(&node, merges: true) }
            finish(&node)
            nodes[index] = node
        }
    }

    private mutating func expand(_ node: inout Node, merges: Bool) {
        for group in NodePreparation.groups where node.kinds & group.bits != 0 {
            (kinds, calls, isChanged) = (node.kinds, 0, false)
            code.removeAll(keepingCapacity: true)
            guard append(node[keyPath: group.code], group, nesting: 0) else { continue }
            if merges, group.mark == 2 { mergeMembers() }
            guard isChanged else { continue }
            node.kinds = kinds
            node.weight = max(node.weight, 1 + calls)
            let start = UInt32(draft.code.count)
            draft.code += code
            node[keyPath: group.code] = Node.Code(start: start, end: UInt32(draft.code.count))
        }
    }

    /// Appends the instructions of a code, including those of the schemas that it calls. False if a limit is exceeded.
    private mutating func append(_ section: Node.Code, _ group: Group, nesting: Int) -> Bool {
        for position in section.start..<section.end {
            left -= 1
            guard left > 0, code.count < NodePreparation.codeLimit else { return false }
            let instruction = draft.code[Int(position)]
            guard instruction.operation == .call else {
                code.append(instruction)
                continue
            }
            let target = draft.nodes[Int(instruction.a)]
            // These are the kinds that the schema refuses.
            isChanged = true
            kinds &= target.kinds | ~group.bits
            guard kinds & group.bits != 0 else { return true }
            let inner = target[keyPath: group.code]
            guard inner.start != inner.end else { continue }
            if target.markedKinds & group.mark != 0 || nesting == NodePreparation.nestingLimit {
                code.append(instruction)
                continue
            }
            calls += 1
            guard append(inner, group, nesting: nesting + 1) else { return false }
        }
        return true
    }

    /// Sets the values that the evaluation uses: the kinds without code, those with simple code, and keys as strings.
    private func finish(_ node: inout Node) {
        node.plainKinds = 0
        for group in NodePreparation.groups {
            let section = node[keyPath: group.code]
            if section.start == section.end {
                node.plainKinds |= node.kinds & group.bits
            } else if !group.bits.isContainer, draft.code[Int(section.start)..<Int(section.end)].allSatisfy(\.isLeaf) {
                node.leafKinds |= group.bits
            }
        }
        // A key, which `propertyNames` checks, is a string.
        node.kinds = NodePreparation.withKeys(node.kinds)
        node.plainKinds = NodePreparation.withKeys(node.plainKinds)
        node.leafKinds = NodePreparation.withKeys(node.leafKinds)
    }

    private static func bits(_ kinds: JSONToken.Kind...) -> UInt16 { kinds.reduce(0) { $0 | 1 << UInt16($1.rawValue) } }

    private static func withKeys(_ kinds: UInt16) -> UInt16 {
        kinds & bits(.string) == 0 ? kinds : kinds | bits(.key)
    }
}

extension NodePreparation {
    /// Merges the tables that have only names into one.
    private mutating func mergeMembers() {
        let positions = code.indices.filter {
            [.members, .required].contains(code[$0].operation) && !draft.plans[Int(code[$0].a)].hasRest
        }
        guard positions.count > 1 else { return }
        let slots = positions.flatMap { position in
            let plan = draft.plans[Int(code[position].a)]
            return draft.names[Int(plan.table)...Int(plan.table + plan.mask)].filter { $0.count != .max }
        }
        left -= slots.count * 4
        guard left > 0 else { return }
        var known: [ArraySlice<UInt8>: Int] = [:]
        var names: [NameSlot] = []
        var targets: [[UInt32]] = []
        for slot in slots {
            let text = nameBytes[Int(slot.offset)..<Int(slot.offset + slot.count)]
            let position = known[text] ?? names.count
            if position == names.count {
                known[text] = position
                names.append(slot)
                targets.append([])
            }
            names[position].isRequired = names[position].isRequired || slot.isRequired
            if slot.node != MembersPlan.none, !targets[position].contains(slot.node) {
                targets[position].append(slot.node)
            }
        }
        let (outer, outerKinds, outerCalls) = (code, kinds, calls)
        for position in names.indices where targets[position].count > 1 {
            names[position].node = node(ofAll: targets[position])
        }
        for position in names.indices where targets[position].count == 1 {
            names[position].node = targets[position][0]
        }
        (code, kinds, calls, isChanged) = (outer, outerKinds, outerCalls, true)
        let first = code[positions[0]]
        draft.plans.append(MembersPlan(names, in: &draft.names))
        for position in positions.reversed() { code.remove(at: position) }
        let operation: Instruction.Operation = targets.allSatisfy(\.isEmpty) ? .required : .members
        code.insert(
            Instruction(
                operation: operation, marks: operation == .members, a: UInt32(draft.plans.count - 1),
                location: first.location), at: positions[0])
    }

    /// An additional node, which matches the values that all of these match.
    private mutating func node(ofAll targets: [UInt32]) -> UInt32 {
        var node = Node()
        let start = UInt32(draft.code.count)
        for target in targets { draft.code.append(Instruction(operation: .call, marks: true, a: target)) }
        let section = Node.Code(start: start, end: UInt32(draft.code.count))
        for group in NodePreparation.groups { node[keyPath: group.code] = section }
        expand(&node, merges: false)
        finish(&node)
        nodes.append(node)
        return UInt32(nodes.count - 1)
    }
}

extension MembersPlan {
    /// Creates a plan of these names, and appends its table.
    fileprivate init(_ slots: [NameSlot], in names: inout [NameSlot]) {
        self.init()
        setNames(slots, in: &names)
    }

    /// Appends the table of these names.
    mutating func setNames(_ slots: [NameSlot], in names: inout [NameSlot]) {
        let size = slots.count.tableSize
        (hasNames, table, mask) = (!slots.isEmpty, UInt32(names.count), UInt32(size - 1))
        requiredCount = UInt32(slots.count { $0.isRequired })
        names += [NameSlot](repeating: NameSlot(), count: size)
        for slot in slots {
            var position = slot.hash & mask
            while names[Int(table + position)].count != .max { position = (position + 1) & mask }
            names[Int(table + position)] = slot
        }
    }
}

extension Instruction {
    /// Whether it checks only a scalar itself.
    fileprivate var isLeaf: Bool {
        switch operation {
        case .plainInteger, .minimum, .exclusiveMinimum, .maximum, .exclusiveMaximum, .multipleOf, .minLength,
            .maxLength, .pattern, .format, .constant, .enumeration:
            true
        default: false
        }
    }
}

extension UInt16 {
    /// Whether all kinds are arrays or objects.
    fileprivate var isContainer: Bool {
        self & (1 << UInt16(JSONToken.Kind.array.rawValue) | 1 << UInt16(JSONToken.Kind.object.rawValue)) != 0
    }
}
