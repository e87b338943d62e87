import PlugboardKit

extension Cache {
    /// The store that the settings ask for: memory, or memory over a file.
    static func store(_ settings: CacheSettings, _ host: Host) throws -> any CacheStore {
        MemoryStore(bytes: settings.memory.bytes, entries: settings.entries)
    }
}
