import PlugboardKit
import SQLiteStore

extension Cache {
    /// The store that the settings ask for: memory, or memory over a file.
    static func store(_ settings: CacheSettings, _ host: PluginHost) throws(PlugboardError) -> any CacheStore {
        guard settings.persistence == .file, let path = try path(settings, host) else {
            return MemoryStore(bytes: settings.memory.bytes, entries: settings.entries)
        }
        do throws(SQLiteFailure) { try SQLiteStore.check(path, schema: CacheSchema.schema) } catch {
            throw PlugboardError(.configuration, "The cache cannot keep answers in its file. \(error.message)")
        }
        return TieredStore(
            path: path, memory: settings.memory.bytes, disk: settings.disk.bytes,
            entries: settings.entries
        ) { host.log(.warning, $0) }
    }

    /// Nil, with a warning, where there is no folder for it: a cache that remembers less is better than a program that does not start.
    private static func path(_ settings: CacheSettings, _ host: PluginHost) throws(PlugboardError) -> String? {
        let path = settings.path.flatMap { $0.isEmpty ? nil : $0 }
        if let path, path.hasPrefix("/") { return path }
        if let folder = host.dataDirectory { return "\(folder)/\(path ?? "cache.sqlite")" }
        guard let path else {
            host.log(
                .warning,
                "There is no data directory, so answers are kept in memory only. Give path, or say that memory is meant "
                    + "(\"persistence\": \"memory\").")
            return nil
        }
        throw PlugboardError(
            .configuration, "The cache has no data directory for \(path). Give path of cache as an absolute path.")
    }
}
