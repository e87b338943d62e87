import CPlugboardYAML
import PlugboardJSON
import PlugboardMessages

/// Reads the events of libyaml as one JSON value.
///
/// It does not recurse: the open collections are kept in a list. A value with an anchor is kept, so that an alias costs
/// only a copy of it. All values in the copy count towards the limit.
struct YAMLReader {
    /// A value that an anchor names.
    private struct Anchored {
        let value: JSONValue
        let count: Int
        let levels: Int
    }

    /// A collection that has not ended.
    private struct Collection {
        /// The elements; nil for a mapping.
        var elements: [JSONValue]?
        var members = JSONObject()
        /// The key of a mapping whose value comes next.
        var key: String?
        /// The mappings that `<<` merges into this one.
        var merged: [JSONObject]?
        var isMerging = false
        let anchor: String?
        /// The number of values that were read before the collection.
        let first: Int
        /// The most levels of a value in the collection.
        var levels = 0
    }

    private let limits: YAMLDocument.Limits
    private var collections: [Collection] = []
    private var anchors: [String: Anchored] = [:]
    private var count = 0
    private var root: JSONValue?

    private init(_ limits: YAMLDocument.Limits) { self.limits = limits }

    static func value(
        of bytes: UnsafeBufferPointer<UInt8>, _ limits: YAMLDocument.Limits
    ) throws(YAMLFailure) -> JSONValue {
        // Allocated on the heap, because the parser keeps a pointer to itself.
        let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
        defer { parser.deallocate() }
        guard yaml_parser_initialize(parser) == 1 else { throw YAMLFailure("cannot be read: there is no memory") }
        defer { yaml_parser_delete(parser) }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
        var reader = YAMLReader(limits)
        var event = yaml_event_t()
        while true {
            guard yaml_parser_parse(parser, &event) == 1 else { throw YAMLFailure(parser.pointee, in: bytes) }
            defer { yaml_event_delete(&event) }
            if event.type == YAML_STREAM_END_EVENT { break }
            try reader.read(event)
        }
        guard let root = reader.root else { throw YAMLFailure("is empty", line: 1, column: 1) }
        return root
    }

    private mutating func read(_ event: yaml_event_t) throws(YAMLFailure) {
        switch event.type {
        case YAML_DOCUMENT_START_EVENT:
            if root != nil { throw YAMLFailure("has more than one document", at: event.start_mark) }
        case YAML_SEQUENCE_START_EVENT: try open(event, event.data.sequence_start.anchor, elements: [])
        case YAML_MAPPING_START_EVENT: try open(event, event.data.mapping_start.anchor, elements: nil)
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: try close(event)
        case YAML_SCALAR_EVENT: try scalar(event)
        case YAML_ALIAS_EVENT:
            let name = text(event.data.alias.anchor)
            guard let anchored = anchors[name] else {
                throw YAMLFailure("has the alias \(Printable.text(name)) before its anchor", at: event.start_mark)
            }
            try add(anchored, nil, at: event.start_mark)
        default: break
        }
    }

    // MARK: Collections

    private mutating func open(
        _ event: yaml_event_t, _ anchor: UnsafePointer<yaml_char_t>?, elements: [JSONValue]?
    ) throws(YAMLFailure) {
        if wantsKey { throw YAMLFailure("has a key that is no text", at: event.start_mark) }
        guard collections.count < limits.depth else { throw tooDeep(event.start_mark) }
        collections.append(
            Collection(elements: elements, anchor: anchor.map { text($0) }, first: count))
        try count(more: 1, at: event.start_mark)
    }

    private mutating func close(_ event: yaml_event_t) throws(YAMLFailure) {
        guard var collection = collections.popLast() else { return }
        for merged in collection.merged ?? [] {
            for (key, value) in merged where collection.members[key] == nil { collection.members[key] = value }
        }
        let value = collection.elements.map { JSONValue.array($0) } ?? .object(collection.members)
        let anchored = Anchored(value: value, count: count - collection.first, levels: collection.levels + 1)
        // Its values have been counted already; `add` counts them again.
        count = collection.first
        try add(anchored, collection.anchor, at: event.start_mark)
    }

    // MARK: Values

    private mutating func scalar(_ event: yaml_event_t) throws(YAMLFailure) {
        let scalar = event.data.scalar
        let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
        let text = String(decoding: bytes, as: UTF8.self)
        let isPlain = scalar.plain_implicit != 0 && scalar.style == YAML_PLAIN_SCALAR_STYLE
        let anchor = scalar.anchor.map { self.text($0) }
        if wantsKey {
            if let anchor { anchors[anchor] = Anchored(value: .string(text), count: 1, levels: 1) }
            return try begin(key: text, mayMerge: isPlain, at: event.start_mark)
        }
        let tag = scalar.tag.map { self.text($0) } ?? ""
        let value = try YAMLScalar.value(of: text, tag: tag, isPlain: isPlain, at: event.start_mark)
        try add(Anchored(value: value, count: 1, levels: 1), anchor, at: event.start_mark)
    }

    private var wantsKey: Bool {
        guard let last = collections.last else { return false }
        return last.elements == nil && last.key == nil && !last.isMerging
    }

    private mutating func begin(key: String, mayMerge: Bool, at mark: yaml_mark_t) throws(YAMLFailure) {
        let index = collections.count - 1
        let isMerge = mayMerge && key == "<<"
        let isTaken = isMerge ? collections[index].merged != nil : collections[index].members[key] != nil
        if isTaken { throw YAMLFailure("the key \(Printable.text(key)) is a duplicate", at: mark) }
        if isMerge { collections[index].isMerging = true } else { collections[index].key = key }
    }

    /// Adds a complete value to the open collection, as an element, a key, or the value of a key.
    private mutating func add(_ new: Anchored, _ anchor: String?, at mark: yaml_mark_t) throws(YAMLFailure) {
        try count(more: new.count, at: mark)
        if let anchor { anchors[anchor] = new }
        guard !collections.isEmpty else {
            root = new.value
            return
        }
        if wantsKey {
            guard case .string(let key) = new.value else { throw YAMLFailure("has a key that is no text", at: mark) }
            return try begin(key: key, mayMerge: false, at: mark)
        }
        guard collections.count + new.levels <= limits.depth else { throw tooDeep(mark) }
        let index = collections.count - 1
        collections[index].levels = max(collections[index].levels, new.levels)
        if collections[index].isMerging {
            collections[index].isMerging = false
            collections[index].merged = try YAMLReader.merged(new.value, at: mark)
        } else if let key = collections[index].key {
            collections[index].members[key] = new.value
            collections[index].key = nil
        } else {
            collections[index].elements?.append(new.value)
        }
    }

    /// The mappings that `<<` names: one, or a list, of which the first has priority.
    private static func merged(_ value: JSONValue, at mark: yaml_mark_t) throws(YAMLFailure) -> [JSONObject] {
        let values = value.arrayValue ?? [value]
        let objects = values.compactMap(\.objectValue)
        guard objects.count == values.count else { throw YAMLFailure("merges (<<) a non-mapping", at: mark) }
        return objects
    }

    // MARK: Limits

    private mutating func count(more: Int, at mark: yaml_mark_t) throws(YAMLFailure) {
        count += more
        guard count <= limits.values else {
            throw YAMLFailure("has more than \(limits.values) values, with those of aliases", at: mark)
        }
    }

    private func tooDeep(_ mark: yaml_mark_t) -> YAMLFailure {
        YAMLFailure("has more than \(limits.depth) levels", at: mark)
    }

    /// The text of a name of libyaml, which ends with a zero.
    private func text(_ name: UnsafePointer<yaml_char_t>) -> String { String(cString: name) }
}
