import PlugboardConfiguration
import PlugboardCore
import PlugboardJSON
import PlugboardKit

/// The references (`$ref`) of an OpenAPI document. Each distinct one is followed once.
struct OpenAPIReferences {
    private enum Target {
        case found(ConfigurationNode)
        /// The end of a sentence about the reference.
        case missing(String)
        /// The end of a sentence about a reference that is not an error of the document.
        case elsewhere(String)
    }

    /// The most references that may follow each other.
    static let chainLimit = 64

    private let root: JSONValue
    private var targets: [String: Target] = [:]
    /// The number of references without a target. The most similar name is searched only for the first.
    private var missCount = 0

    /// The reasons why references to other documents cannot be followed.
    private let unreadable: [String: String]

    init(root: JSONValue, unreadable: [String: String] = [:]) {
        self.root = root
        self.unreadable = unreadable
    }

    /// The node, or the node that its reference leads to; nil after an error was noted.
    mutating func resolve(
        _ node: ConfigurationNode, _ reading: inout ConfigurationReading
    ) -> ConfigurationNode? {
        guard let reference = OpenAPIReferences.reference(in: node.value) else { return node }
        switch target(reference) {
        case .found(let target): return target
        case .missing(let reason), .elsewhere(let reason):
            reading.noteOnce(node.path.appending("$ref"), reason)
            return nil
        }
    }

    /// Checks a reference that no operation needs.
    mutating func check(
        _ reference: String, at path: JSONPath, _ reading: inout ConfigurationReading,
        _ unsupported: inout ConfigurationReading
    ) {
        switch target(reference) {
        case .found: break
        case .missing(let reason): reading.noteOnce(path.appending("$ref"), reason)
        case .elsewhere(let reason): unsupported.noteOnce(path.appending("$ref"), reason)
        }
    }

    static func reference(in value: JSONValue) -> String? {
        // Most objects have few members, so that this look-up costs little.
        value["$ref"]?.stringValue
    }

    private mutating func target(_ reference: String) -> Target {
        if let target = targets[reference] { return target }
        let target = follow(reference)
        if case .missing = target { missCount += 1 }
        targets[reference] = target
        return target
    }

    private func follow(_ first: String) -> Target {
        var reference = first
        var chain: [String] = []
        while chain.count < OpenAPIReferences.chainLimit {
            if chain.contains(reference) {
                let cycle = chain.drop { $0 != reference } + [reference]
                return .missing(
                    "makes a cycle of references: \(cycle.map { Printable.text($0) }.joined(separator: " → "))")
            }
            chain.append(reference)
            let node: ConfigurationNode
            do throws(Unresolved) {
                node = try self.node(reference)
            } catch {
                return error.isElsewhere ? .elsewhere(error.reason) : .missing(error.reason)
            }
            guard let next = OpenAPIReferences.reference(in: node.value) else { return .found(node) }
            reference = next
        }
        return .missing("leads through more than \(OpenAPIReferences.chainLimit) references")
    }

    private struct Unresolved: Error {
        let reason: String
        var isElsewhere = false
    }

    /// The part of the document that a reference names (RFC 6901 §6).
    private func node(_ reference: String) throws(Unresolved) -> ConfigurationNode {
        guard reference.utf8.first == UInt8(ascii: "#") else {
            throw Unresolved(
                reason: unreadable[reference]
                    ?? "leads to another document, which is not read; join the documents into one first",
                isElsewhere: true)
        }
        let pointer = Array(reference.utf8.dropFirst())
        guard let bytes = OpenAPIReferences.unescaped(pointer) else {
            throw Unresolved(reason: "is not a JSON Pointer: it has a % without two digits")
        }
        guard bytes.isEmpty || bytes[0] == UInt8(ascii: "/") else {
            throw Unresolved(
                reason:
                    "leads to an anchor, which is not read; write a JSON Pointer, such as #/components/schemas/NAME",
                isElsewhere: true)
        }
        var elements: [JSONPathElement] = []
        var value = root
        for part in bytes.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        where !bytes.isEmpty {
            let key = JSONPointer.key(part)
            guard let next = JSONPointer.part(key, of: value) else {
                let candidates: ArraySlice = missCount < 100 ? value.objectValue?.keys.prefix(200) ?? [] : []
                let near = Spelling.nearest(key, in: candidates).map { "; did you mean \($0)?" } ?? ""
                throw Unresolved(reason: "leads to nothing: there is no \(Printable.text(key))\(near)")
            }
            if value.arrayValue != nil, let index = Int(key) {
                elements.append(.index(index))
            } else {
                elements.append(.key(key))
            }
            value = next
        }
        return ConfigurationNode(value: value, path: JSONPath(elements))
    }

    /// The bytes without percent-encoding; nil if a percent sign is not followed by two digits.
    private static func unescaped(_ bytes: [UInt8]) -> [UInt8]? {
        var isMalformed = false
        let text = PercentEncoding.decoded(bytes, isMalformed: &isMalformed)
        return isMalformed ? nil : text
    }
}

extension ConfigurationReading {
    /// Notes an error unless one was noted at the same path.
    mutating func noteOnce(_ path: JSONPath, _ reason: String, atKey: Bool = false) {
        let text = path.isRoot ? "" : path.description
        guard !errors.contains(where: { $0.path == text }) else { return }
        note(path, reason, atKey: atKey)
    }
}
