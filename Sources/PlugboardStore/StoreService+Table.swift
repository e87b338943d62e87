import CPlugboardStore

// The functions of the table, which make commands of what comes in C.
extension StoreService {
    static func table(_ context: UnsafeMutableRawPointer, _ engine: plug_text) -> plug_store_v1 {
        plug_store_v1(
            context: context, engine: engine,
            get: { context, call, watch, keys, count in
                let keys = StoreService.texts(keys, count)
                let watch = watch == 0 ? nil : StoreWatch(number: watch)
                StoreService.from(context)?.begin(call, keys.map { .get($0, watch: watch) })
            },
            put: { context, call, entries, count in
                StoreService.from(context)?.begin(call, StoreService.entries(entries, count).map { .put($0) })
            },
            remove: { context, call, keys, count in
                StoreService.from(context)?.begin(call, StoreService.texts(keys, count).map { .remove($0) })
            },
            add: { context, call, key, delta, time in
                let key = String(checking: key)
                StoreService.from(context)?.begin(call, key.map { .add($0, delta, timeToLive: .nanoseconds(time)) })
            },
            compare_and_set: { context, call, expected, entry in
                let entry = StoreService.entries(entry, 1)?.first
                let expected = expected.map { Bytes(Array($0.pointee.view)) }
                StoreService.from(context)?.begin(call, entry.map { .compareAndSet($0, expected: expected) })
            },
            take_lock: { context, call, key, time in
                let key = String(checking: key)
                StoreService.from(context)?.begin(call, key.map { .takeLock($0, timeToLive: .nanoseconds(time)) })
            },
            renew_lock: { context, call, key, token, time in
                let key = String(checking: key)
                StoreService.from(context)?.begin(
                    call, key.map { .renewLock($0, token: token, timeToLive: .nanoseconds(time)) })
            },
            give_back_lock: { context, call, key, token in
                let key = String(checking: key)
                StoreService.from(context)?.begin(call, key.map { .giveBackLock($0, token: token) })
            },
            watch: { context, watcher, changed, release in
                guard let service = StoreService.from(context), let changed else { return 0 }
                return service.watch(StoreWatcher(watcher, changed, release))
            },
            unwatch: { context, watch in StoreService.from(context)?.unwatch(watch) })
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> StoreService? {
        context.map { Unmanaged<StoreService>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Nil if one is not UTF-8, or where the array is missing.
    private static func texts(_ texts: UnsafePointer<plug_text>?, _ count: UInt64) -> [String]? {
        guard let texts, count <= UInt64(PLUG_STORE_COUNT_LIMIT) else { return count == 0 ? [] : nil }
        var strings: [String] = []
        for index in 0..<Int(count) {
            guard let string = String(checking: texts[index]) else { return nil }
            strings.append(string)
        }
        return strings
    }

    private static func entries(_ entries: UnsafePointer<plug_store_entry_v1>?, _ count: UInt64) -> [StoreEntry]? {
        guard let entries, count <= UInt64(PLUG_STORE_COUNT_LIMIT) else { return count == 0 ? [] : nil }
        var made: [StoreEntry] = []
        for index in 0..<Int(count) {
            let entry = entries[index]
            guard let key = String(checking: entry.key) else { return nil }
            // A value that is too long is not copied: one byte more than the limit is refused as well.
            let value = entry.value.view.prefix(Int(PLUG_STORE_VALUE_LIMIT) + 1)
            made.append(StoreEntry(key, Bytes(Array(value)), timeToLive: .nanoseconds(entry.time_to_live)))
        }
        return made
    }
}
