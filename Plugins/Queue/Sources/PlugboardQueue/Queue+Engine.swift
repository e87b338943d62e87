import PlugboardKit
import PlugboardQueueOptions
import PlugboardSQLite

extension Queue {
    /// Where the requests are, by the settings.
    static func engine(
        _ settings: QueueSettings, _ host: PluginHost, _ changes: QueueChanges
    ) throws(PlugboardError) -> any QueueEngine {
        let limits = QueueLimits(settings)
        if let url = settings.store, !url.isEmpty {
            return try QueueEngineMaker.engine(
                QueueEngineContext(url: url, schema: settings.schema, limits: limits, host: host) {
                    changes.replayer?.reload()
                })
        }
        let path = try Queue.path(settings, host)
        do throws(SQLiteFailure) { try SQLiteStore.check(path.starting, schema: QueueSchema.schema) } catch {
            throw PlugboardError(.configuration, "The queue cannot use its file. \(error.message)")
        }
        return SQLiteEngine(path.current, limits: limits, host: host)
    }

    /// The path now, and the path after start.
    private static func path(
        _ settings: QueueSettings, _ host: PluginHost
    ) throws(PlugboardError) -> (current: String, starting: String) {
        if let path = settings.path, !path.isEmpty {
            let file = host.configuredPath(path)
            return (file, file)
        }
        // If the folder cannot be made, requests that can be sent must not fail.
        let starting = host.dataPath
        guard let folder = host.dataDirectory ?? starting, let starting else {
            throw PlugboardError(
                .configuration, "There is no data directory for the file of queue. Set path to an absolute path.")
        }
        return ("\(folder)/queue.sqlite", "\(starting)/queue.sqlite")
    }
}
