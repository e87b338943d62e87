import PlugboardKit

extension Cache {
    /// The store that the settings ask for: memory, or memory over a file.
    static func store(_ settings: CacheSettings, _ host: Host) throws(PlugboardError) -> any CacheStore {
        guard let path = settings.path, !path.isEmpty else {
            return MemoryStore(bytes: settings.memory.bytes, entries: settings.entries)
        }
        return TieredStore(
            path: try absolute(path, host), memory: settings.memory.bytes, disk: settings.disk.bytes,
            entries: settings.entries
        ) { host.log(.warning, $0) }
    }

    private static func absolute(_ path: String, _ host: Host) throws(PlugboardError) -> String {
        if path.hasPrefix("/") { return path }
        guard let folder = host.dataDirectory else {
            throw PlugboardError(
                .configuration, "The cache has no data directory for \(path). Give path of cache as an absolute path.")
        }
        return "\(folder)/\(path)"
    }
}
