import CPlugboardStore
import Synchronization

/// A call of a user that is to end once, and not before it has returned.
///
/// Sendable because the pointers are handed back as they came, and the rest is under a lock.
final class StoreCall: @unchecked Sendable {
    private struct State {
        var isOver = false
        var hasReturned = false
        /// The result, until the call has returned.
        var result: Result<StoreReply, StoreFailure>?
        var whenOver: (@Sendable () -> Void)?
    }

    private let context: UnsafeMutableRawPointer?
    private let done: plug_store_function
    private let state = Mutex(State())

    init(_ context: UnsafeMutableRawPointer?, _ done: @escaping plug_store_function) {
        (self.context, self.done) = (context, done)
    }

    /// Called when there is a result. Set before the call returns.
    var whenOver: (@Sendable () -> Void)? {
        get { state.withLock { $0.whenOver } }
        set { state.withLock { $0.whenOver = newValue } }
    }

    /// Ends the call; later results are dropped.
    func end(_ result: Result<StoreReply, StoreFailure>) {
        let (isNow, whenOver) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
            guard !state.isOver else { return (false, nil) }
            state.isOver = true
            if !state.hasReturned { state.result = result }
            defer { state.whenOver = nil }
            return (state.hasReturned, state.whenOver)
        }
        whenOver?()
        if isNow { deliver(result) }
    }

    /// The call returns to its caller. A result that is there already comes soon, on another thread.
    func returns() {
        let result = state.withLock { state in
            state.hasReturned = true
            defer { state.result = nil }
            return state.result
        }
        guard let result else { return }
        Task { self.deliver(result) }
    }

    private func deliver(_ result: Result<StoreReply, StoreFailure>) {
        switch result {
        case .success(let reply):
            let bytes = reply.values.map { $0.map(\.array) }
            let all = bytes.flatMap { $0 ?? [] }
            all.withUnsafeBytes { all in
                var (values, start): ([plug_store_value_v1], Int) = ([], 0)
                for value in bytes {
                    let count = value?.count ?? 0
                    let text = plug_text(viewing: UnsafeRawBufferPointer(rebasing: all[start..<start + count]))
                    values.append(plug_store_value_v1(bytes: text, is_found: value == nil ? 0 : 1, reserved: 0))
                    start += count
                }
                values.withUnsafeBufferPointer { values in
                    var raw = plug_store_reply_v1()
                    raw.result = PLUG_STORE_DONE
                    (raw.values, raw.value_count) = (values.baseAddress, UInt64(values.count))
                    raw.number = reply.number
                    done(context, &raw)
                }
            }
        case .failure(let failure):
            Array(failure.reason.utf8).withUnsafeBytes { reason in
                var raw = plug_store_reply_v1()
                (raw.result, raw.reason) = (failure.kind.rawValue, plug_text(viewing: reason))
                done(context, &raw)
            }
        }
    }
}

/// A watch of a user.
///
/// Sendable because the pointers are handed back as they came, and the rest is under a lock.
final class StoreWatcher: @unchecked Sendable {
    private let context: UnsafeMutableRawPointer?
    private let changed: plug_store_changed_function
    private let release: plug_release_function?
    /// The calls of `changed` that run, and whether the watch has ended.
    private let state = Mutex((running: 0, hasEnded: false))

    init(
        _ context: UnsafeMutableRawPointer?, _ changed: @escaping plug_store_changed_function,
        _ release: plug_release_function?
    ) {
        (self.context, self.changed, self.release) = (context, changed, release)
    }

    func tell(_ key: String?) {
        let mayRun = state.withLock { state in
            if !state.hasEnded { state.running += 1 }
            return !state.hasEnded
        }
        guard mayRun else { return }
        if let key {
            Array(key.utf8).withUnsafeBytes { changed(context, plug_text(viewing: $0)) }
        } else {
            changed(context, plug_text())
        }
        let isLast = state.withLock { state in
            state.running -= 1
            return state.hasEnded && state.running == 0
        }
        if isLast { release?(context) }
    }

    /// Ends the watch: `release` runs when no `changed` does any more.
    func end() {
        let isLast = state.withLock { state in
            defer { state.hasEnded = true }
            return !state.hasEnded && state.running == 0
        }
        if isLast { release?(context) }
    }
}
