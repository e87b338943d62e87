import PlugboardStore

/// Which watches have read which keys.
struct KeyReaders {
    /// The most keys; beyond them, all are told that any may have changed.
    static let limit = 100_000

    private var readers: [String: (key: String, watches: Set<StoreWatch>)] = [:]

    var isFull: Bool { readers.count > KeyReaders.limit }

    /// Adds a key under its name in Redis.
    mutating func add(_ watch: StoreWatch, _ key: String, _ name: String) {
        readers[name, default: (key, [])].watches.insert(watch)
    }

    /// Who has read a key that has changed; they are told once.
    mutating func take(_ name: String) -> (key: String, watches: Set<StoreWatch>)? { readers.removeValue(forKey: name) }

    mutating func remove(_ watch: StoreWatch) {
        for name in Array(readers.keys) { readers[name]?.watches.remove(watch) }
        readers = readers.filter { !$0.value.watches.isEmpty }
    }
}
