import CPlugboardStore
import PlugboardKit

/// The store of a fleet, as a plugin that uses it sees it. Used from any thread.
///
///     let store = Store(host)   // in `start`; the manifest has needs: [Store.optionalID]
///     store?.perform(.get(["com.acme.sign/1/key"]), within: .milliseconds(50)) { result in … }
///
/// Every command ends within its time, also when the engine is out: then with a failure, and the plugin decides for
/// itself.
public struct Store: Sendable {
    /// The id of the service, for the manifest's `provides`, and for `needs` of a plugin that cannot work without it.
    public static let id = "plugboard.store/1"
    /// For `needs` of a plugin that also works without the service.
    public static let optionalID = "plugboard.store/1?"

    private let table: Table

    /// The store that another plugin provides; nil without one. Asked from `start` on, and not used after `stop`: then
    /// the other plugin is destroyed. Replies may come later.
    public init?(_ host: PluginHost) {
        guard let table = host.service(Store.id, as: plug_store_v1.self) else { return nil }
        self.init(table)
    }

    /// The store of a table, which must live as long as this value.
    public init(_ table: UnsafePointer<plug_store_v1>) { self.table = Table(raw: table) }

    /// The engine, in a word.
    public var engine: String { String(table.raw.pointee.engine) }

    /// Asks the store. `done` is called once, later, on any thread, and must not block.
    public func perform(
        _ command: StoreCommand, within: Duration,
        _ done: @escaping @Sendable (Result<StoreReply, StoreFailure>) -> Void
    ) {
        let context = Unmanaged.passRetained(Done(done)).toOpaque()
        var call = plug_store_call_v1(within: within.nanoseconds, context: context) { context, reply in
            guard let context else { return }
            let done = Unmanaged<Done>.fromOpaque(context).takeRetainedValue()
            done.body(reply.map { Store.result($0.pointee) } ?? .failure(StoreFailure(.down, "There was no reply.")))
        }
        let store = table.raw.pointee
        switch command {
        case .get(let keys, let watch):
            withTexts(keys) { store.get(store.context, &call, watch?.number ?? 0, $0, UInt64(keys.count)) }
        case .put(let entries):
            withEntries(entries) { store.put(store.context, &call, $0, UInt64(entries.count)) }
        case .remove(let keys): withTexts(keys) { store.remove(store.context, &call, $0, UInt64(keys.count)) }
        case .add(let key, let delta, let time):
            withTexts([key]) { store.add(store.context, &call, $0[0], delta, time.nanoseconds) }
        case .compareAndSet(let entry, let expected):
            withEntries([entry]) { entries in
                guard let expected else { return store.compare_and_set(store.context, &call, nil, entries) }
                expected.withUnsafeBytes {
                    var text = plug_text(viewing: $0)
                    store.compare_and_set(store.context, &call, &text, entries)
                }
            }
        case .takeLock(let key, let time):
            withTexts([key]) { store.take_lock(store.context, &call, $0[0], time.nanoseconds) }
        case .renewLock(let key, let token, let time):
            withTexts([key]) { store.renew_lock(store.context, &call, $0[0], token, time.nanoseconds) }
        case .giveBackLock(let key, let token):
            withTexts([key]) { store.give_back_lock(store.context, &call, $0[0], token) }
        }
    }

    /// Asks the store and waits for the reply.
    @discardableResult
    public func perform(_ command: StoreCommand, within: Duration) async throws(StoreFailure) -> StoreReply {
        let result = await withCheckedContinuation { continuation in
            perform(command, within: within) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Begins a watch. `changed` is called on any thread with a key that has changed since it was read with this watch,
    /// once for each time that it was read; nil: all of them may have changed. Returns nil when the provider has
    /// stopped.
    public func watch(_ changed: @escaping @Sendable (String?) -> Void) -> StoreWatch? {
        let watcher = Unmanaged.passRetained(Watcher(changed))
        let store = table.raw.pointee
        let number = store.watch(
            store.context, watcher.toOpaque(),
            { watcher, key in
                guard let watcher else { return }
                Unmanaged<Watcher>.fromOpaque(watcher).takeUnretainedValue().changed(
                    key.bytes == nil ? nil : String(key))
            },
            { watcher in if let watcher { Unmanaged<Watcher>.fromOpaque(watcher).release() } })
        if number != 0 { return StoreWatch(number: number) }
        watcher.release()
        return nil
    }

    /// Ends a watch.
    public func unwatch(_ watch: StoreWatch) { table.raw.pointee.unwatch(table.raw.pointee.context, watch.number) }

    private static func result(_ reply: plug_store_reply_v1) -> Result<StoreReply, StoreFailure> {
        guard reply.result == PLUG_STORE_DONE else {
            return .failure(StoreFailure(StoreFailure.Kind(rawValue: reply.result) ?? .down, String(reply.reason)))
        }
        let values = UnsafeBufferPointer(start: reply.values, count: reply.values == nil ? 0 : Int(reply.value_count))
        return .success(
            StoreReply(
                values: values.map { $0.is_found == 0 ? nil : Bytes(Array($0.bytes.view)) }, number: reply.number))
    }

    private final class Done: Sendable {
        let body: @Sendable (Result<StoreReply, StoreFailure>) -> Void
        init(_ body: @escaping @Sendable (Result<StoreReply, StoreFailure>) -> Void) { self.body = body }
    }

    private final class Watcher: Sendable {
        let changed: @Sendable (String?) -> Void
        init(_ changed: @escaping @Sendable (String?) -> Void) { self.changed = changed }
    }

    /// Sendable because the table is constant, and its functions are called on any thread.
    private struct Table: @unchecked Sendable {
        let raw: UnsafePointer<plug_store_v1>
    }
}
