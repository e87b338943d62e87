import PlugboardJSON

extension SchemaNodeCompiler {
    mutating func sizes(_ keywords: Keywords, _ compiler: inout SchemaCompiler) throws(SchemaError) {
        for (keyword, operation) in [("minItems", .minItems), ("maxItems", .maxItems)]
            as [(String, Instruction.Operation)]
        {
            guard let count = try keywords.count(keyword, compiler) else { continue }
            array.append(Instruction(operation: operation, a: count, location: compiler.location(keyword, place)))
        }
        let operations: [(String, Instruction.Operation)] = [
            ("minProperties", .minProperties), ("maxProperties", .maxProperties),
        ]
        for (keyword, operation) in operations {
            guard let count = try keywords.count(keyword, compiler) else { continue }
            object.append(Instruction(operation: operation, a: count, location: compiler.location(keyword, place)))
        }
        if try keywords.bool("uniqueItems", compiler) == true {
            array.append(Instruction(operation: .uniqueItems, location: compiler.location("uniqueItems", place)))
        }
    }

    mutating func items(_ keywords: Keywords, _ compiler: inout SchemaCompiler) throws(SchemaError) {
        var plan = ItemsPlan()
        var prefix: [UInt32] = []
        var location = "items"
        if draft == .draft2020 {
            if let schemas = try keywords.array("prefixItems", compiler) {
                prefix = schemas.indices.map { child("prefixItems/\($0)", &compiler) }
                location = "prefixItems"
            }
            if keywords.has("items") { plan.rest = child("items", &compiler) }
        } else if let schemas = keywords["items"]?.arrayValue {
            prefix = schemas.indices.map { child("items/\($0)", &compiler) }
            if keywords.has("additionalItems") { plan.rest = child("additionalItems", &compiler) }
        } else if keywords.has("items") {
            plan.rest = child("items", &compiler)
        }
        if !prefix.isEmpty || plan.rest != MembersPlan.none {
            plan.prefixStart = UInt32(compiler.draft.lists.count)
            compiler.draft.lists += prefix
            plan.prefixEnd = UInt32(compiler.draft.lists.count)
            compiler.draft.items.append(plan)
            array.append(
                Instruction(
                    operation: .items, marks: true, a: UInt32(compiler.draft.items.count - 1),
                    location: compiler.location(location, place)))
        }
        try contains(keywords, &compiler)
    }

    private mutating func contains(
        _ keywords: Keywords, _ compiler: inout SchemaCompiler
    ) throws(SchemaError) {
        guard draft >= .draft6, keywords.has("contains") else { return }
        let hasLimits = draft >= .draft2019 && vocabulary.contains(.validation)
        let least = hasLimits ? try keywords.count("minContains", compiler) : nil
        let most = hasLimits ? try keywords.count("maxContains", compiler) : nil
        compiler.draft.contains.append(
            ContainsPlan(
                node: child("contains", &compiler), least: Int(least ?? 1), most: most.map(Int.init) ?? .max,
                marks: draft == .draft2020))
        array.append(
            Instruction(
                operation: .contains, marks: true, a: UInt32(compiler.draft.contains.count - 1),
                location: compiler.location("contains", place)))
    }

    /// Compiles `properties`, `patternProperties`, `additionalProperties`, `propertyNames` and `required` to one pass.
    mutating func members(_ keywords: Keywords, _ compiler: inout SchemaCompiler) throws(SchemaError) {
        var plan = MembersPlan()
        var names: [NameSlot] = []
        var positions: [ExactText: Int] = [:]
        if vocabulary.contains(.applicator) {
            for (name, _) in try keywords.object("properties", compiler) ?? [:] {
                var slot = compiler.name(name)
                slot.node = child("properties/\(JSONPointer.escaped(name))", &compiler)
                positions[ExactText(name)] = names.count
                names.append(slot)
            }
            plan.patternsStart = UInt32(compiler.draft.patternNodes.count)
            var patterns: [PatternNode] = []
            for (text, _) in try keywords.object("patternProperties", compiler) ?? [:] {
                let keyword = "patternProperties/\(JSONPointer.escaped(text))"
                let pattern = try compiler.pattern(text, place, keyword)
                patterns.append(PatternNode(pattern: pattern, node: child(keyword, &compiler)))
            }
            compiler.draft.patternNodes += patterns
            plan.patternsEnd = UInt32(compiler.draft.patternNodes.count)
            if keywords.has("additionalProperties") {
                plan.additional = child("additionalProperties", &compiler)
                plan.additionalLocation = compiler.location("additionalProperties", place)
                plan.isClosed = keywords["additionalProperties"]?.boolValue == false
            }
            if draft >= .draft6, keywords.has("propertyNames") {
                plan.keys = child("propertyNames", &compiler)
                plan.keysLocation = compiler.location("propertyNames", place)
            }
        }
        // Draft 4 and older schemas may have the boolean `required` of draft 3, which is ignored.
        if vocabulary.contains(.validation), !(draft == .draft4 && keywords["required"]?.boolValue != nil) {
            for name in try keywords.strings("required", compiler) ?? [] {
                if let position = positions[ExactText(name)] {
                    names[position].isRequired = true
                } else {
                    var slot = compiler.name(name)
                    slot.isRequired = true
                    positions[ExactText(name)] = names.count
                    names.append(slot)
                }
            }
        }
        let hasPatterns = plan.patternsStart != plan.patternsEnd
        plan.checksKnown = hasPatterns || plan.keys != MembersPlan.none
        plan.hasRest = plan.checksKnown || plan.additional != MembersPlan.none
        guard !names.isEmpty || plan.hasRest else { return }
        plan.requiredLocation = compiler.location("required", place)
        plan.setNames(names, in: &compiler.draft.names)
        compiler.draft.plans.append(plan)
        let isOnlyRequired = !plan.hasRest && names.allSatisfy { $0.node == MembersPlan.none }
        object.append(
            Instruction(
                operation: isOnlyRequired ? .required : .members, marks: !isOnlyRequired,
                a: UInt32(compiler.draft.plans.count - 1), location: compiler.location("properties", place)))
    }

    mutating func dependencies(_ keywords: Keywords, _ compiler: inout SchemaCompiler) throws(SchemaError) {
        for keyword in ["dependencies", "dependentRequired", "dependentSchemas"] {
            guard keyword == "dependencies" || draft >= .draft2019,
                vocabulary.contains(keyword == "dependentRequired" ? .validation : .applicator),
                let entries = try keywords.object(keyword, compiler)
            else { continue }
            for (name, value) in entries {
                var plan = DependencyPlan(name: compiler.name(name))
                let pointer = "\(keyword)/\(JSONPointer.escaped(name))"
                if let names = value.arrayValue, keyword != "dependentSchemas" {
                    plan.start = UInt32(compiler.draft.dependentNames.count)
                    for name in names {
                        guard let text = name.stringValue else {
                            throw compiler.error(.invalid, place, pointer, "A required name must be a string.")
                        }
                        let slot = compiler.name(text)
                        compiler.draft.dependentNames.append(slot)
                    }
                    plan.end = UInt32(compiler.draft.dependentNames.count)
                } else if keyword != "dependentRequired" {
                    plan.node = inPlace(pointer, &compiler)
                } else {
                    throw compiler.error(.invalid, place, pointer, "It must be an array of names, not \(value.kind).")
                }
                compiler.draft.dependencies.append(plan)
                object.append(
                    Instruction(
                        operation: .dependency, marks: true, a: UInt32(compiler.draft.dependencies.count - 1),
                        location: compiler.location(pointer, place)))
            }
        }
    }

    mutating func unevaluated(_ keywords: Keywords, _ compiler: inout SchemaCompiler) throws(SchemaError) {
        if keywords.has("unevaluatedItems") {
            let location = compiler.location("unevaluatedItems", place)
            unevaluatedItems.append(
                Instruction(
                    operation: .unevaluatedItems, marks: true, a: child("unevaluatedItems", &compiler),
                    location: location))
        }
        if keywords.has("unevaluatedProperties") {
            let location = compiler.location("unevaluatedProperties", place)
            unevaluatedProperties.append(
                Instruction(
                    operation: .unevaluatedProperties, marks: true, a: child("unevaluatedProperties", &compiler),
                    location: location))
        }
    }
}
