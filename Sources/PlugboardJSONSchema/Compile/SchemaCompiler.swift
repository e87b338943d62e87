@_spi(Tape) import PlugboardJSON

/// Compiles a schema and everything that it refers to into a program.
struct SchemaCompiler {
    var index: SchemaIndex
    let options: JSONSchema.Options
    var draft = ProgramDraft()
    private var nodes: [SchemaPlace: UInt32] = [:]
    private var waiting: [SchemaPlace] = []
    private var compiled = 0
    /// Places that refer to missing documents.
    private var blocked: [SchemaPlace] = []
    private let schema: JSONValue
    private var root: UInt32?
    var patterns: [ExactText: UInt32] = [:]
    var nameBytes: [UInt8] = []
    var constants: [JSONValue] = []
    /// The enumerations as ranges of `constants`.
    var enumerations: [Range<Int>] = []
    /// Dynamic references: their fallback, and the anchor or nil for `$recursiveRef`.
    var dynamics: [(fallback: UInt32, anchor: ExactText?)] = []
    /// The nodes that each node applies to the same instance.
    var inPlace: [UInt32: [UInt32]] = [:]

    init(_ schema: JSONValue, options: JSONSchema.Options, registry: SchemaRegistry) {
        self.schema = schema
        self.options = options
        index = SchemaIndex(registry, draft: options.draft)
    }

    /// Compiles as much as possible, and returns the errors of missing documents, each once.
    ///
    /// After the documents were added to the registry of the index, a further call continues the compilation. If
    /// `index.isIncomplete`, a new compiler is needed.
    mutating func advance() throws(SchemaError) -> [SchemaError] {
        var missing: [SchemaError] = []
        do throws(SchemaError) {
            if root == nil {
                _ = try index.add(schema, uri: options.baseURI)
                root = node(SchemaPlace(document: 0, pointer: ""))
            }
            waiting += blocked
            blocked = []
            try run(&missing)
        } catch {
            guard case .missingDocument = error.kind else { throw error }
            missing.append(error)
        }
        return missing
    }

    /// The node of a place, which is compiled later.
    mutating func node(_ place: SchemaPlace) -> UInt32 {
        if let node = nodes[place] { return node }
        let node = UInt32(draft.nodes.count)
        draft.nodes.append(Node())
        nodes[place] = node
        waiting.append(place)
        return node
    }

    private mutating func run(_ missing: inout [SchemaError]) throws(SchemaError) {
        while compiled < waiting.count {
            while compiled < waiting.count {
                let place = waiting[compiled]
                compiled += 1
                guard draft.nodes.count <= options.schemaLimit else {
                    throw error(.limit, place, "", "The schema has more than \(options.schemaLimit) subschemas.")
                }
                try index.indexIfUnknown(place)
                var schema = SchemaNodeCompiler(place, in: index)
                do throws(SchemaError) {
                    try schema.compile(with: &self)
                    if let node = nodes[place] { draft.nodes[Int(node)] = schema.emit(into: &draft) }
                } catch {
                    guard case .missingDocument = error.kind, !index.isIncomplete else { throw error }
                    blocked.append(place)
                    if !missing.contains(where: { $0.kind == error.kind }) { missing.append(error) }
                }
            }
            // Targets of dynamic references can add more schemas.
            addDynamicTargets()
        }
    }

    /// The anchors that dynamic references name; nil for `$recursiveRef`.
    private var dynamicAnchors: Set<ExactText?> { Set(dynamics.map(\.anchor)) }

    /// The targets of each anchor, by resource.
    private func dynamicTargets() -> [ExactText?: [(resource: UInt16, place: SchemaPlace)]] {
        let wanted = dynamicAnchors
        var targets: [ExactText?: [(resource: UInt16, place: SchemaPlace)]] = [:]
        for (number, resource) in index.resources.enumerated() {
            for (anchor, place) in resource.dynamicAnchors where wanted.contains(anchor) {
                targets[anchor, default: []].append((UInt16(number), place))
            }
            if resource.isRecursive, wanted.contains(nil) {
                targets[ExactText?.none, default: []].append((UInt16(number), resource.place))
            }
        }
        return targets
    }

    private mutating func addDynamicTargets() {
        guard !dynamics.isEmpty else { return }
        for target in dynamicTargets().values.joined() { _ = node(target.place) }
    }

    /// Makes the program, when nothing is missing.
    mutating func finish() throws(SchemaError) -> Program {
        let root = root ?? 0
        let outermost = outermostResources(root)
        var targets: [ExactText?: [UInt16: UInt32]] = [:]
        for (anchor, places) in dynamics.isEmpty ? [:] : dynamicTargets() {
            let pairs = places.compactMap { target in nodes[target.place].map { (target.resource, $0) } }
            targets[anchor] = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
        }
        // References that have the same target in every dynamic scope.
        var fixed: [UInt32: UInt32] = [:]
        for (position, dynamic) in dynamics.enumerated() {
            let own = targets[dynamic.anchor] ?? [:]
            draft.dynamics.append(DynamicPlan(fallback: dynamic.fallback, targets: own))
            if let target = outermost.lazy.compactMap({ own[$0] }).first { fixed[UInt32(position)] = target }
        }
        for number in draft.code.indices where draft.code[number].operation == .dynamic {
            guard let target = fixed[draft.code[number].a] else { continue }
            draft.code[number].operation = .call
            draft.code[number].a = target
        }
        if !draft.code.contains(where: { $0.operation == .dynamic }) { draft.dynamics = [] }
        try refuseEndless()
        let constants = try constantTokens()
        nameBytes += [UInt8](repeating: 0, count: JSONTapeParser.padding)
        return Program(draft, root: root, nameBytes: nameBytes, constants: constants)
    }

    /// The resources with which every dynamic scope begins: a dynamic reference to one of them has only one target.
    private func outermostResources(_ root: UInt32) -> [UInt16] {
        var resources: [UInt16] = []
        var number = root
        while resources.count < 16 {
            let node = draft.nodes[Int(number)]
            resources.append(node.resource)
            // Below a schema that is only a reference, the scope continues with its target.
            guard node.object.end == node.object.start + 1, node.null.start == node.object.start,
                draft.code[Int(node.object.start)].operation == .call
            else { break }
            number = draft.code[Int(node.object.start)].a
        }
        return resources
    }

    /// Parses the values of `const` and `enum` as one array and computes the plans of enumerations.
    private mutating func constantTokens() throws(SchemaError) -> JSONDocument {
        var options = JSONDocument.Options()
        options.depthLimit = JSONDocument.Options.deepest
        options.sizeLimit = 1 << 30
        let document: JSONDocument
        do throws(JSONDocumentError) {
            document = try JSONDocument(JSONWriter.write(.array(constants)) as [UInt8], options: options)
        } catch {
            throw SchemaError(kind: .invalid, location: "#", reason: "A constant cannot be read: \(error.reason).")
        }
        var starts: [UInt32] = []
        var token = 1
        for _ in constants {
            starts.append(UInt32(token))
            token = document.tokens[token].kind.isContainer ? document.tokens[token].offset : token + 1
        }
        starts.append(UInt32(token))
        for range in enumerations {
            let tokens = range.map { document.tokens[Int(starts[$0])] }
            let kinds = tokens.reduce(0 as UInt16) { $0 | 1 << UInt16($1.kind.rawValue) }
            var plan = EnumerationPlan(
                start: starts[range.lowerBound], end: starts[range.upperBound], count: UInt32(range.count), kinds: kinds
            )
            plan.isText = tokens.allSatisfy { $0.kind == .string }
            if tokens.count > 6, tokens.allSatisfy({ !$0.kind.isContainer }) {
                var table = [UInt32](repeating: 0, count: tokens.count.tableSize)
                plan.table = UInt32(draft.tables.count)
                plan.mask = UInt32(table.count - 1)
                for position in range {
                    let start = Int(starts[position])
                    let token = document.tokens[start]
                    let hash =
                        plan.isText
                        ? JSONKeyHash.hash(
                            document.bytes + token.offset, Int(token.count), seed: JSONKeyHash.processSeed)
                        : UInt32(truncatingIfNeeded: JSONTokens(document.tokens, document.bytes).hash(start, above: 0))
                    var slot = Int(hash) & (table.count - 1)
                    while table[slot] != 0 { slot = (slot + 1) & (table.count - 1) }
                    table[slot] = starts[position]
                }
                draft.tables += table
            }
            draft.enumerations.append(plan)
        }
        return document
    }

    /// Refuses schemas that apply themselves to the same instance, which would never end.
    private func refuseEndless() throws(SchemaError) {
        // 1 while a node's targets are visited, 2 afterwards.
        var states = [UInt8](repeating: 0, count: draft.nodes.count)
        for start in inPlace.keys.sorted() where states[Int(start)] == 0 {
            var path: [(node: UInt32, next: Int)] = [(start, 0)]
            states[Int(start)] = 1
            while let last = path.last {
                let targets = inPlace[last.node] ?? []
                guard last.next < targets.count else {
                    states[Int(last.node)] = 2
                    path.removeLast()
                    continue
                }
                path[path.count - 1].next += 1
                let target = targets[last.next]
                switch states[Int(target)] {
                case 0:
                    states[Int(target)] = 1
                    path.append((target, 0))
                case 1:
                    let location = draft.locations[Int(draft.nodes[Int(target)].location)].absolute
                    throw SchemaError(
                        kind: .endless, location: location,
                        reason: "The schema refers to itself without end: it applies itself to the same value.")
                default: break
                }
            }
        }
    }

    func error(_ kind: SchemaError.Kind, _ place: SchemaPlace, _ keyword: String, _ reason: String) -> SchemaError {
        let location = index.location(of: place)
        return SchemaError(kind: kind, location: keyword.isEmpty ? location : "\(location)/\(keyword)", reason: reason)
    }

    mutating func location(_ keyword: String, _ place: SchemaPlace) -> UInt32 {
        let absolute = index.location(of: place)
        draft.locations.append(
            Program.Location(keyword: keyword, absolute: keyword.isEmpty ? absolute : "\(absolute)/\(keyword)"))
        return UInt32(draft.locations.count - 1)
    }

    /// A name whose bytes the program keeps.
    mutating func name(_ text: String) -> NameSlot {
        let bytes = Array(text.utf8)
        let padded = bytes + [UInt8](repeating: 0, count: JSONTapeParser.padding)
        let hash = padded.withUnsafeBufferPointer {
            JSONKeyHash.hash($0.baseAddress!, bytes.count, seed: JSONKeyHash.processSeed)
        }
        let slot = NameSlot(hash: hash, offset: UInt32(nameBytes.count), count: UInt32(bytes.count))
        nameBytes += bytes
        return slot
    }

    mutating func pattern(
        _ text: String, _ place: SchemaPlace, _ keyword: String
    ) throws(SchemaError) -> UInt32 {
        if let known = patterns[ExactText(text)] { return known }
        do throws(PatternError) {
            draft.patterns.append(try Pattern(text))
        } catch {
            throw self.error(.pattern, place, keyword, "The regular expression cannot be used: \(error.reason).")
        }
        let number = UInt32(draft.patterns.count - 1)
        patterns[ExactText(text)] = number
        return number
    }
}

extension Int {
    /// The slots of a hash table with this many entries: a power of two, at most half full.
    var tableSize: Int {
        var size = 4
        while size < self * 2 { size *= 2 }
        return size
    }
}
