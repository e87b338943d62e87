import PlugboardJSON

/// The state of one call of `JSONValueDecoder.decode`; used by one task at a time, like every `Decoder`.
final class DecodingSession {
    let isStrict: Bool
    /// The path of the innermost value that could not be decoded.
    var failedPath: JSONPath?
    /// The objects that were read and not yet checked for unknown keys, the outermost first.
    private var objects: [ObjectAccess] = []

    init(isStrict: Bool) { self.isStrict = isStrict }

    /// Decodes, and then checks the objects that were read. If decoding fails, they are not checked, because the type
    /// may try an alternative.
    func checked<Value>(at path: CodingPath, _ decode: () throws -> Value) throws -> Value {
        let mark = objects.count
        let value: Value
        do {
            value = try decode()
        } catch {
            if failedPath == nil { failedPath = JSONPath(codingPath: path.keys) }
            objects.removeSubrange(mark...)
            throw error
        }
        // An error that the type has caught does not count.
        failedPath = nil
        defer { objects.removeSubrange(mark...) }
        for object in objects[mark...] { try object.check() }
        return value
    }

    func watch(_ object: ObjectAccess) {
        if isStrict { objects.append(object) }
    }
}

/// An object and the keys that were read from it.
final class ObjectAccess {
    let object: JSONObject
    let path: CodingPath
    private var asked: Set<String> = []
    private let isStrict: Bool

    init(_ object: JSONObject, at path: CodingPath, isStrict: Bool) {
        self.object = object
        self.path = path
        self.isStrict = isStrict
    }

    func value(_ key: String) -> JSONValue? {
        if isStrict { asked.insert(key) }
        return object[key]
    }

    /// Throws for the first key that was not read.
    func check() throws {
        for (key, _) in object where !asked.contains(key) {
            let suggestion = Spelling.nearest(key, in: asked.sorted()).map {
                "; the nearest known key is \($0.quotedForError)"
            }
            throw DecodingError.dataCorrupted(
                .init(codingPath: path.keys, debugDescription: "unknown key \(key.quotedForError)\(suggestion ?? "")"))
        }
    }

    func missing(_ key: any CodingKey) -> DecodingError {
        let spare = isStrict ? Spelling.nearest(key.stringValue, in: object.keys.filter { !asked.contains($0) }) : nil
        let suggestion = spare.map { "; the nearest key that is there is \($0.quotedForError)" } ?? ""
        return .keyNotFound(
            key,
            .init(
                codingPath: path.keys,
                debugDescription: "the key \(key.stringValue.quotedForError) is missing\(suggestion)"))
    }
}
