import PlugboardKit
internal import PlugboardQueueMetadata
import PlugboardQueueOptions
import PlugboardSQLite

/// Where the requests are: a file, or a database that several machines share. Work is performed in its order, on a
/// thread of the engine.
@_spi(QueueStores)
public protocol QueueEngine: Sendable {
    /// What shows writes of other processes without reading the requests; nil if that is not known.
    var stamp: FileStamp? { get }
    /// Performs work after all earlier work, and then `then` with its result, on the engine's thread.
    func perform<Value: Sendable>(
        _ work: @escaping @Sendable (any QueueSession) throws(SQLiteFailure) -> Value,
        then: @escaping @Sendable (Result<Value, SQLiteFailure>) -> Void)
    /// Makes the schema, or brings it up to this version. Returns a sentence about it. On the engine's thread.
    func migrate(then: @escaping @Sendable (Result<String, SQLiteFailure>) -> Void)
    /// Performs the work that was added before, and closes the connection. Blocks up to the limit.
    func close(within limit: Duration)
}

/// What an engine is made with.
@_spi(QueueStores)
public struct QueueEngineContext: Sendable {
    /// The setting `store`.
    public let url: String
    /// The setting `schema`.
    public let schema: String
    public let limits: QueueLimits
    public let host: PluginHost
    /// Called on any thread when others may have changed the requests.
    public let changed: @Sendable () -> Void
}

/// The engine that a product beside this one links into the program.
///
/// A class, because it crosses a C function.
@_spi(QueueStores)
public final class QueueEngineMaker {
    fileprivate let make: (QueueEngineContext) throws(PlugboardError) -> any QueueEngine

    public init(_ make: @escaping (QueueEngineContext) throws(PlugboardError) -> any QueueEngine) { self.make = make }

    /// The engine for the setting `store`. Throws where the program has none for it.
    static func engine(_ context: QueueEngineContext) throws(PlugboardError) -> any QueueEngine {
        guard let linked = plugboard_queue_linked_engine() else {
            throw PlugboardError(
                .configuration,
                "This queue has no PostgreSQL. Link the product PlugboardQueuePostgreSQL, or load "
                    + "libplugboard-queue-postgresql.so instead of the queue's own, or remove store of queue.")
        }
        return try Unmanaged<QueueEngineMaker>.fromOpaque(linked).takeUnretainedValue().make(context)
    }
}
