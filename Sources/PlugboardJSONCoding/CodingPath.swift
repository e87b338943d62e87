import PlugboardJSON

/// A coding path that grows without copying; the arrays that `Codable` needs are made on demand.
indirect enum CodingPath {
    case root
    case step(CodingPath, any CodingKey)

    var keys: [any CodingKey] {
        var keys: [any CodingKey] = []
        var path = self
        while case .step(let parent, let key) = path {
            keys.append(key)
            path = parent
        }
        return keys.reversed()
    }

    func appending(_ key: any CodingKey) -> CodingPath { .step(self, key) }
}

/// An index in an array.
struct IndexKey: CodingKey {
    let index: Int

    init(_ index: Int) { self.index = index }
    init?(intValue: Int) { self.init(intValue) }
    init?(stringValue: String) { nil }

    var intValue: Int? { index }
    var stringValue: String { String(index) }
}

/// The key of `superDecoder()` and `superEncoder()`.
struct SuperKey: CodingKey {
    init() {}
    init?(intValue: Int) { nil }
    init?(stringValue: String) { nil }

    var intValue: Int? { nil }
    var stringValue: String { "super" }
}

extension JSONPath {
    init(codingPath: [any CodingKey]) {
        // The integer keys of a dictionary are keys in JSON; only this type of key is an index.
        self.init(codingPath.map { key in (key as? IndexKey).map { .index($0.index) } ?? .key(key.stringValue) })
    }
}
