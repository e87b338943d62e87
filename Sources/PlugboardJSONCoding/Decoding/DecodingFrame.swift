import PlugboardJSON

/// An object and the keys that were read from it, in a strict session.
final class DecodingFrame {
    let object: UInt32
    let path: JSONPath
    /// Whether the type has read keys, or has left the value to another type.
    var isKeyed = false
    var isDelegated = false
    private var read: Set<UInt32> = []
    private var asked: Set<String> = []

    init(_ object: UInt32, at path: JSONPath) {
        self.object = object
        self.path = path
    }

    func ask(for key: String, found token: UInt32?) {
        asked.insert(key)
        if let token { read.insert(token) }
    }

    /// Throws for the first key that was not read.
    func check(in tape: JSONTape) throws {
        guard isKeyed || !isDelegated else { return }
        for token in tape.keyTokens(of: object) where !read.contains(token) {
            let key = tape.string(token)
            let suggestion = Spelling.nearest(key, in: asked.sorted()).map {
                "; the nearest known key is \($0.quotedForError)"
            }
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: path.elements.map(DocumentKey.init),
                    debugDescription: "unknown key \(key.quotedForError)\(suggestion ?? "")"))
        }
    }

    /// The key of the document that was not read, and most likely is meant by one that is missing.
    func nearest(to key: String, in tape: JSONTape) -> String? {
        Spelling.nearest(key, in: tape.keyTokens(of: object).filter { !read.contains($0) }.map { tape.string($0) })
    }
}

extension JSONTape {
    /// The keys of an object, each once.
    func keyTokens(of object: UInt32) -> [UInt32] {
        var tokens: [UInt32] = []
        var token = object &+ 2
        let end = self[object].length
        while token < end {
            if self[token].isKey { tokens.append(token) }
            token = next(after: token &+ 1)
        }
        return tokens
    }

    /// The token of a key; nil if the object has none.
    @inline(__always)
    func find(_ key: UnsafeBufferPointer<UInt8>, in object: UInt32) -> UInt32? {
        // Most types read the keys in the order in which they stand.
        let hint = self[container: object].hint
        if hint < self[object].length, self.key(hint, equals: key) { return found(hint, in: object) }
        return search(key, in: object)
    }

    @inline(__always)
    private func found(_ token: UInt32, in object: UInt32) -> UInt32 {
        (tokens + Int(object) + 1).withMemoryRebound(to: Container.self, capacity: 1) {
            $0.pointee.hint = next(after: token &+ 1)
        }
        return token
    }

    private func search(_ key: UnsafeBufferPointer<UInt8>, in object: UInt32) -> UInt32? {
        let this = self[object]
        if Int(this.count) > JSONTapeScanner.indexThreshold {
            return keyIndexes[object]?.token(of: key, in: self).map { found($0, in: object) }
        }
        let hint = self[container: object].hint
        return search(key, from: hint, to: this.length, in: object)
            ?? search(key, from: object &+ 2, to: hint, in: object)
    }

    private func search(
        _ key: UnsafeBufferPointer<UInt8>, from first: UInt32, to end: UInt32, in object: UInt32
    ) -> UInt32? {
        var token = first
        while token < end {
            if self.key(token, equals: key) { return found(token, in: object) }
            token = next(after: token &+ 1)
        }
        return nil
    }
}
