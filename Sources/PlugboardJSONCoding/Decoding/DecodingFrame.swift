@_spi(Tape) import PlugboardJSON

/// An object and the keys that types have read from it, in a strict session.
final class DecodingFrame {
    let object: Int
    let path: JSONPath
    /// Whether the type has read keys, or has left the value to another type.
    var isKeyed = false
    var isDelegated = false
    private var read: Set<Int> = []
    private var asked: Set<String> = []

    init(_ object: Int, at path: JSONPath) {
        self.object = object
        self.path = path
    }

    func ask(for key: String, found token: UInt32?) {
        asked.insert(key)
        if let token { read.insert(Int(token)) }
    }

    /// Throws for the first key that was not read.
    func check(in tokens: JSONTokens) throws {
        guard isKeyed || !isDelegated else { return }
        guard let key = unread(in: tokens).first else { return }
        let suggestion = Spelling.nearest(key, in: asked.sorted()).map {
            "; the nearest known key is \($0.quotedForError)"
        }
        throw DecodingError.dataCorrupted(
            .init(
                codingPath: path.elements.map(DocumentKey.init),
                debugDescription: "unknown key \(key.quotedForError)\(suggestion ?? "")"))
    }

    /// The unread key of the document that is most similar to a missing key.
    func nearest(to key: String, in tokens: JSONTokens) -> String? { Spelling.nearest(key, in: unread(in: tokens)) }

    private func unread(in tokens: JSONTokens) -> [String] {
        var keys: [String] = []
        tokens.forEachKey(of: object) { if !read.contains($0) { keys.append(tokens.string($0)) } }
        return keys
    }
}
