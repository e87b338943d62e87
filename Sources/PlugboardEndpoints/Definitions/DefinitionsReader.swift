import PlugboardConfiguration
import PlugboardCore
import PlugboardJSON
import PlugboardKit

/// Reads the definitions of an object. Each is read into a copy of the definition that it refines, which is read first.
struct DefinitionsReader {
    /// The definition that is refined by all definitions that do not name another.
    static let defaultName = "DEFAULT"
    /// The most definitions in a file.
    static let countLimit = 10_000
    /// The most parameters, header fields and values of all definitions, including inherited ones.
    static let sizeLimit = 200_000

    private let node: ConfigurationNode
    private let object: JSONObject
    private var read: [String: Definition] = [:]
    private var refined: Set<String> = []
    private var size = 0

    /// The definitions in the order of the file. Those with errors are left out.
    static func read(_ node: ConfigurationNode, _ reading: inout ConfigurationReading) -> [Definition] {
        guard let object = node.value.objectValue else {
            reading.note(node.path, "must be an object of definitions, not \(node.value.kind)")
            return []
        }
        guard object.count <= countLimit else {
            reading.note(node.path, "has more than \(countLimit) definitions")
            return []
        }
        var reader = DefinitionsReader(node: node, object: object)
        return reader.definitions(&reading)
    }

    private init(node: ConfigurationNode, object: JSONObject) {
        self.node = node
        self.object = object
    }

    private mutating func definitions(_ reading: inout ConfigurationReading) -> [Definition] {
        for name in object.keys {
            readChain(to: name, &reading)
            guard size <= DefinitionsReader.sizeLimit else {
                reading.note(
                    node.path,
                    "has more than \(DefinitionsReader.sizeLimit) parameters, header fields and values in all, with those "
                        + "that definitions inherit")
                return []
            }
        }
        var definitions: [Definition] = []
        for name in object.keys {
            guard var definition = read[name] else { continue }
            if definition.path == nil {
                let isObject = object[name]?.objectValue != nil
                if isObject, name != DefinitionsReader.defaultName, !refined.contains(name) {
                    reading.note(node.path.appending(.key(name)), "has no path, and no other definition refines it")
                }
            } else {
                definition.complete(at: node.path.appending(.key(name)), &reading)
            }
            definitions.append(definition)
        }
        return definitions
    }

    /// Reads a definition after those that it refines. Uses a loop, because a chain can be as long as the file.
    private mutating func readChain(to name: String, _ reading: inout ConfigurationReading) {
        var chain: [String] = []
        var inChain: Set<String> = []
        var next: String? = name
        while let name = next, read[name] == nil {
            guard inChain.insert(name).inserted else {
                noteCycle(chain, from: name, &reading)
                // The cycle is cut, so that it is noted once and other errors are found too.
                break
            }
            chain.append(name)
            next = refinedName(of: name, &reading)
        }
        for name in chain.reversed() {
            let parent = refinedNames[name].flatMap { read[$0] }
            let definition = definition(name, onto: parent, &reading)
            size += definition.parameters.count + definition.fields.count + definition.query.count
            read[name] = definition
            guard size <= DefinitionsReader.sizeLimit else { return }
        }
    }

    private var refinedNames: [String: String] = [:]

    /// The name of the refined definition, if one is named and exists.
    private mutating func refinedName(of name: String, _ reading: inout ConfigurationReading) -> String? {
        let isDefault = name == DefinitionsReader.defaultName
        let path = node.path.appending(.key(name)).appending(.key(Definition.refinesKey))
        guard let value = object[name]?[Definition.refinesKey] else {
            guard !isDefault, object.contains(DefinitionsReader.defaultName) else { return nil }
            refinedNames[name] = DefinitionsReader.defaultName
            return DefinitionsReader.defaultName
        }
        guard let other = value.stringValue else {
            reading.note(path, "must be the name of a definition, not \(value.kind)")
            return nil
        }
        guard !isDefault else {
            reading.note(path, "must not be given: DEFAULT is what the others refine")
            return nil
        }
        guard object.contains(other) else {
            if reading.errors.count < ConfigurationReading.errorLimit {
                reading.note(path, unknown("definition", other, known: Array(object.keys.prefix(1000))))
            }
            return nil
        }
        refined.insert(other)
        refinedNames[name] = other
        return other
    }

    private mutating func noteCycle(_ chain: [String], from name: String, _ reading: inout ConfigurationReading) {
        let cycle = chain.drop { $0 != name }
        let shown = cycle.prefix(20).map { Printable.text($0) } + (cycle.count > 20 ? ["…"] : [])
        reading.note(
            node.path.appending(.key(name)).appending(.key(Definition.refinesKey)),
            "makes a cycle: \((shown + [Printable.text(name)]).joined(separator: " → "))")
        refinedNames[chain.last ?? name] = nil
    }

    private func definition(
        _ name: String, onto parent: Definition?, _ reading: inout ConfigurationReading
    ) -> Definition {
        var definition = parent.map { Definition(name, refining: $0) } ?? Definition(name)
        let member = node.member(name, object[name] ?? .null)
        guard !name.isEmpty else {
            reading.note(member.path, "is a definition without a name", atKey: true)
            return definition
        }
        reading.readMembers(of: member, Definition.keys, into: &definition)
        return definition
    }
}

extension Definition {
    /// Copies another definition under a new name.
    init(_ name: String, refining other: Definition) {
        self = other.renamed(name)
        // The description of the other definition does not apply to this one.
        documentation = ""
        isDeprecated = false
    }

    /// Adds placeholders to the parameters, and returns parameters with the name of a placeholder and another place.
    @discardableResult
    mutating func addPlaceholders(_ names: [String]) -> [DefinedParameter] {
        var others: [DefinedParameter] = []
        var indices: [String: Int] = [:]
        for (index, parameter) in parameters.enumerated() where parameter.place == .path || parameter.place == nil {
            indices[parameter.sentName] = index
        }
        for name in names {
            if let index = indices[name] {
                parameters[index].place = .path
                parameters[index].isRequired = true
            } else if let other = parameter(name) {
                others.append(other)
            } else {
                var parameter = DefinedParameter(name, .path)
                parameter.isRequired = true
                parameters.append(parameter)
                takesOtherParameters = takesOtherParameters ?? (parameters.count == 1 ? true : nil)
            }
        }
        return others
    }

    /// Adds the placeholders of the path to the parameters, and notes conflicts.
    mutating func complete(at location: JSONPath, _ reading: inout ConfigurationReading) {
        guard path != nil else { return }
        let names: [String]
        do throws(URLTemplate.Invalid) {
            names = try URLTemplate(path: wholePath).placeholders
        } catch {
            reading.note(location.appending("path"), error.reason)
            return
        }
        guard names.count <= DefinedParameter.countLimit else {
            reading.note(location.appending("path"), "has more than \(DefinedParameter.countLimit) placeholders")
            return
        }
        for other in addPlaceholders(names) {
            reading.note(
                location.appending("parameters").appending(.key(other.name)),
                "is a placeholder of the path, and must be in path, not in \(other.place?.rawValue ?? "query")")
        }
        let known = Set(names)
        for parameter in parameters where parameter.place == .path && !known.contains(parameter.sentName) {
            reading.note(
                location.appending("parameters").appending(.key(parameter.name)),
                "is not a placeholder of the path"
                    + (Spelling.nearest(parameter.sentName, in: names).map { "; did you mean {\($0)}?" }
                        ?? "; write {\(Printable.text(parameter.sentName))} in it"),
                atKey: true)
        }
    }
}
