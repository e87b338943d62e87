@_spi(Tape) import PlugboardJSON

/// Compiles one schema: collects its instructions by the kinds of instances to which they apply.
struct SchemaNodeCompiler {
    let place: SchemaPlace
    let resource: Int
    let draft: SchemaDraft
    let vocabulary: Vocabulary
    private let value: JSONValue
    var node = Node()
    var number: [Instruction] = []
    var string: [Instruction] = []
    var array: [Instruction] = []
    var object: [Instruction] = []
    /// Comparisons with constants, which are evaluated first.
    var constants: [Instruction] = []
    /// References and combinations, which apply to every kind.
    var any: [Instruction] = []
    var unevaluatedItems: [Instruction] = []
    var unevaluatedProperties: [Instruction] = []

    init(_ place: SchemaPlace, in index: SchemaIndex) {
        self.place = place
        resource = index.resource(of: place)
        draft = index.resources[resource].draft
        vocabulary = index.resources[resource].vocabulary
        value = index.value(place) ?? .null
    }

    mutating func compile(with compiler: inout SchemaCompiler) throws(SchemaError) {
        node.resource = UInt16(resource)
        node.location = compiler.location("", place)
        if let bool = value.boolValue {
            if !bool { node.kinds = 0 }
            return
        }
        guard let schema = value.objectValue else {
            throw compiler.error(.invalid, place, "", "A schema must be an object, true or false, not \(value.kind).")
        }
        if draft <= .draft7, let reference = schema["$ref"] {
            return try self.reference(reference, &compiler)
        }
        let keywords = Keywords(schema, place)
        if let reference = schema["$ref"] { try self.reference(reference, &compiler) }
        if draft >= .draft2019 { try dynamicReferences(keywords, &compiler) }
        if vocabulary.contains(.validation) {
            try general(keywords, &compiler)
            try numbers(keywords, &compiler)
            try strings(keywords, &compiler)
            try sizes(keywords, &compiler)
        }
        try formats(keywords, &compiler)
        try contents(keywords, &compiler)
        if vocabulary.contains(.applicator) {
            try combinations(keywords, &compiler)
            try items(keywords, &compiler)
        }
        try members(keywords, &compiler)
        try dependencies(keywords, &compiler)
        if vocabulary.contains(.unevaluated), draft >= .draft2019 {
            try unevaluated(keywords, &compiler)
        }
    }

    /// Appends the instructions to the program.
    func emit(into program: inout ProgramDraft) -> Node {
        var node = node
        func code(_ own: [Instruction], _ last: [Instruction] = []) -> Node.Code {
            let start = UInt32(program.code.count)
            program.code += constants
            program.code += own
            program.code += any
            program.code += last
            return Node.Code(start: start, end: UInt32(program.code.count))
        }
        if !unevaluatedItems.isEmpty { node.markedKinds |= 1 }
        if !unevaluatedProperties.isEmpty { node.markedKinds |= 2 }
        node.null = code([])
        node.boolean = node.null
        node.number = number.isEmpty ? node.null : code(number)
        node.string = string.isEmpty ? node.null : code(string)
        node.array = array.isEmpty && unevaluatedItems.isEmpty ? node.null : code(array, unevaluatedItems)
        node.object =
            object.isEmpty && unevaluatedProperties.isEmpty ? node.null : code(object, unevaluatedProperties)
        for kind in 0..<10 as Range<UInt16> {
            guard let code = JSONToken.Kind(rawValue: UInt8(kind)).map({ node.code(for: $0) }), code.start == code.end
            else {
                continue
            }
            node.plainKinds |= node.kinds & 1 << kind
        }
        return node
    }

    /// The node of a subschema at a pointer below this schema, applied to a part of the instance.
    func child(_ pointer: String, _ compiler: inout SchemaCompiler) -> UInt32 {
        compiler.node(SchemaPlace(document: place.document, pointer: "\(place.pointer)/\(pointer)"))
    }

    /// The node of a subschema that is applied to the same instance.
    func inPlace(_ pointer: String, _ compiler: inout SchemaCompiler) -> UInt32 {
        let target = child(pointer, &compiler)
        let own = compiler.node(place)
        compiler.inPlace[own, default: []].append(target)
        return target
    }
}

/// The keywords of a schema, with typed access.
struct Keywords {
    let schema: JSONObject
    let place: SchemaPlace

    init(_ schema: JSONObject, _ place: SchemaPlace) {
        self.schema = schema
        self.place = place
    }

    subscript(_ keyword: String) -> JSONValue? { schema[keyword] }

    func has(_ keyword: String) -> Bool { schema.contains(keyword) }

    private func read<Value>(
        _ keyword: String, _ wanted: String, _ compiler: SchemaCompiler, _ parse: (JSONValue) -> Value?
    ) throws(SchemaError) -> Value? {
        guard let value = schema[keyword] else { return nil }
        guard let parsed = parse(value) else {
            throw compiler.error(.invalid, place, keyword, "\(keyword) must be \(wanted), not \(value.kind).")
        }
        return parsed
    }

    func string(_ keyword: String, _ compiler: SchemaCompiler) throws(SchemaError) -> String? {
        try read(keyword, "a string", compiler, \.stringValue)
    }

    func bool(_ keyword: String, _ compiler: SchemaCompiler) throws(SchemaError) -> Bool? {
        try read(keyword, "true or false", compiler, \.boolValue)
    }

    func number(_ keyword: String, _ compiler: SchemaCompiler) throws(SchemaError) -> JSONNumber? {
        try read(keyword, "a number", compiler, \.numberValue)
    }

    /// A non-negative integer. Limits beyond 32 bits are treated as the largest value.
    func count(_ keyword: String, _ compiler: SchemaCompiler) throws(SchemaError) -> UInt32? {
        try read(keyword, "an integer of 0 or more", compiler) { value in
            guard let number = value.numberValue, number.isInteger, number >= 0 else { return nil }
            return number.integer(UInt32.self) ?? .max
        }
    }

    func array(_ keyword: String, _ compiler: SchemaCompiler) throws(SchemaError) -> [JSONValue]? {
        try read(keyword, "an array", compiler, \.arrayValue)
    }

    func object(_ keyword: String, _ compiler: SchemaCompiler) throws(SchemaError) -> JSONObject? {
        try read(keyword, "an object", compiler, \.objectValue)
    }

    func strings(_ keyword: String, _ compiler: SchemaCompiler) throws(SchemaError) -> [String]? {
        try read(keyword, "an array of strings", compiler) { value in
            guard let elements = value.arrayValue else { return nil }
            let strings = elements.compactMap(\.stringValue)
            return strings.count == elements.count ? strings : nil
        }
    }
}
