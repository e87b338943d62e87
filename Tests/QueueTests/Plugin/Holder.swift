import PlugboardSQLite
import Synchronization
import TestSupport

@_spi(QueueStores) @testable import PlugboardQueue

/// Holds requests on their way to the server until the test lets them go, and records what comes and what has a
/// response.
final class Holder: Sendable {
    let plugin = ScriptedPlugin("holder", priority: 500)
    let steps = Record()
    /// Admits one for each request that has come.
    let came = Gate()
    /// Admits one for each request that has ended.
    let ended = Gate()
    private let gates: [String: Gate]

    /// - Parameter held: The paths, without the slash, of the requests that are held.
    init(_ held: String...) {
        gates = Dictionary(uniqueKeysWithValues: held.map { ($0, Gate()) })
        plugin.onRequest = { [self] exchange in
            let name = Holder.name(exchange.request.url)
            steps.add("begin \(name)")
            came.admit()
            guard let gate = gates[name] else { return .next }
            return .wait {
                try await gate.opened(for: 1)
                return { _ in .next }
            }
        }
        plugin.onClose = { [ended] _, _ in ended.admit() }
        plugin.onResponse = { [steps] exchange in
            steps.add("end \(Holder.name(exchange.request.url))")
            return .next
        }
    }

    private static func name(_ url: String) -> String { String(url.dropFirst("http://a.test/".count)) }

    func release(_ name: String) { gates[name]?.open() }
}

/// Another process that holds the lock for writing to a queue's file.
final class HeldFile: Sendable {
    private let store: SQLiteStore
    private let gate = Gate()

    init(_ path: String) async throws {
        let store = SQLiteStore(.file(path), schema: QueueSchema.schema) { _ in }
        self.store = store
        let held = Gate()
        store.perform { [gate] (connection) throws(SQLiteFailure) in
            try connection.transaction { () throws(SQLiteFailure) in
                held.admit()
                try? gate.wait()
            }
        }
        try await held.opened(for: 1)
    }

    func release() { gate.open() }
}

/// What another process does with a queue's file.
func change<Value: Sendable>(
    _ path: String, _ work: @escaping @Sendable (SQLiteStore.Connection) throws(SQLiteFailure) -> Value
) throws -> Value {
    let store = SQLiteStore(.file(path), schema: QueueSchema.schema) { _ in }
    defer { store.close(within: .seconds(10)) }
    return try store.performAndWait(work)
}
