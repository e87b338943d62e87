import PlugboardJSON

/// Explains why a streamed document is not valid. Kept values are explained like those of a whole document.
extension StreamedCheck {
    /// The JSON Pointer through this many of the open arrays and objects.
    private func instance(_ count: Int) -> String {
        var text = ""
        for (index, frame) in frames.prefix(count).enumerated() {
            text += "/" + (frame.isObject ? key(of: index) : "\(max(0, frame.count - 1))")
        }
        return text
    }

    /// The key of the current member in an open object.
    private func key(of frame: Int) -> String {
        let end = frame + 1 < frames.count ? frames[frame + 1].path : path.count
        let text = String(decoding: path[frames[frame].path..<end], as: UTF8.self)
        return RefusalReport.shortened(JSONPointer.escaped(text))
    }

    /// The path of keywords to a schema.
    private func keywords(_ applied: Int32) -> String {
        var steps: [String] = []
        var index = Int(applied)
        while index >= 0 {
            let schema = self.applied[index]
            let own = program.locations[Int(program.nodes.base[Int(schema.node)].location)].absolute
            switch schema.step {
            case .root: break
            case .call: steps.append("/\(program.locations[Int(schema.detail)].keyword)")
            case .property:
                steps.append("/properties/\(key(of: Int(schema.detail)))")
            case .pattern: steps.append("/patternProperties/\(RefusalReport.lastStep(own))")
            case .additional: steps.append("/additionalProperties")
            case .prefix:
                steps.append("/\(program.locations[Int(schema.detail)].keyword)/\(RefusalReport.lastStep(own))")
            case .rest: steps.append("/\(RefusalReport.lastStep(own))")
            }
            index = Int(schema.parent)
        }
        return steps.reversed().joined()
    }

    private mutating func explain(
        _ instance: String = "", _ keywords: String = "", _ body: (inout RefusalReport) -> [ValidationError]
    ) {
        useWindow()
        let stop = evaluation.stop
        var explanation = RefusalReport(program, evaluation, errors, instance: instance, keywords: keywords)
        failure = explanation.result(stop == .none ? body(&explanation) : [], stop: stop)
    }

    mutating func failAsLimited() { explain { _ in [] } }

    /// Fails because a value does not match a schema.
    mutating func fail(_ index: Int, _ token: Int) {
        let schema = applied[index]
        let (instance, keywords) = (instance(frames.count), keywords(Int32(index)))
        if program.nodes.base[Int(schema.node)].kinds == 0, schema.step == .additional {
            return explain(instance, keywords) { [$0.closed(schema.detail, nil)] }
        }
        if program.nodes.base[Int(schema.node)].kinds == 0 { return failWithType(index) }
        explain(instance, keywords) { $0.explain(schema.node, token) }
    }

    /// Fails because a key does not match the schema of keys.
    mutating func fail(_ node: UInt32, _ token: Int, _ applied: Int32, _ keyword: String) {
        explain(instance(frames.count), "\(keywords(applied))/\(keyword)") { $0.explain(node, token) }
    }

    mutating func failWithType(_ index: Int) {
        let node = applied[index].node
        explain(instance(frames.count), keywords(Int32(index))) { [$0.wrongType(node, nil)] }
    }

    /// Fails because the begin of a value violates an instruction.
    mutating func fail(_ instruction: Instruction, _ index: Int) {
        explain(instance(frames.count), keywords(Int32(index))) { [$0.error(instruction, nil)] }
    }

    /// Fails because no schema of `anyOf` or `oneOf` is left for the innermost object, which has not ended: its last
    /// member excludes the schemas of the bits.
    mutating func failWithoutBranch(_ check: StreamCheck, _ last: UInt64, _ token: Int) {
        let instruction = program.code.base[Int(check.index)]
        explain(instance(frames.count - 1), keywords(check.applied)) {
            [$0.error(instruction, nil, $0.excluded(instruction, last, token))]
        }
    }

    /// Fails because the innermost array or object violates a check: a limit as it arrives, or any check at its end.
    ///
    /// - Parameter token: The array or object, if it was kept and has ended.
    mutating func fail(_ check: StreamCheck, _ token: Int? = nil) {
        let instance = instance(frames.count - 1)
        let keywords = keywords(check.applied)
        switch check.kind {
        case .instruction, .branches:
            let instruction = program.code.base[Int(check.index)]
            explain(instance, keywords) { $0.explain(instruction, token ?? 0) }
        case .node: explain(instance, keywords) { $0.explain(check.index, token ?? 0) }
        case .least, .most, .contains, .unique:
            let instruction = program.code.base[Int(check.detail)]
            explain(instance, keywords) { [$0.error(instruction, token)] }
        case .members, .items:
            let plan = program.plans.base[Int(check.index)]
            let bits = bits
            explain(instance, keywords) {
                $0.missing(plan, nil) { position in
                    bits[check.bits + position / 64] >> UInt64(position % 64) & 1 != 0
                }
            }
        }
    }
}
