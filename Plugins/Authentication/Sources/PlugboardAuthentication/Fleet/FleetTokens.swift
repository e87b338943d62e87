import PlugboardAuthenticationOptions
import PlugboardKit
import PlugboardStore
import Synchronization

/// The tokens that a fleet has in its store. Called from any thread.
///
///     find ─ a token ───────────────────────────────▶ found
///      ▲ └── none ─▶ lock ─ ours ──────────────────▶ claimed ─▶ fetch ─▶ end, which gives the lock back
///      └─ a pause ◀── another's   no reply, too long ─▶ alone
///
/// A token ends in the store before its lifetime is over, by the engine's clock: one that is found is valid for some
/// time more. Where an endpoint replaces refresh tokens, all that replaced each other have the same keys in the store,
/// as each of them may be the one in a process's file.
final class FleetTokens: Sendable {
    /// What the store has.
    struct Found: Sendable {
        /// The token, and how long it is valid at least; nil if it is valid until a server rejects it.
        var token: (text: String, rest: Duration?)?
        /// The refresh token that replaced the process's own.
        var refreshToken: String?
    }

    /// A fetch that this process makes for all.
    struct Claim: Sendable {
        fileprivate let name: String
        fileprivate let identity: [String]
        fileprivate let lock: Int64
        let found: Found
    }

    enum Finding: Sendable {
        case found(Found)
        case claimed(Claim)
        /// The store does not respond, or not in time: the process fetches for itself.
        case alone
    }

    private struct State {
        /// Nil without a store, and from `stop` on, because the plugin that provides it is destroyed later.
        var store: Store?
        /// The names whose tokens are kept under another one.
        var names: [String: String] = [:]
        /// The names whose locks are renewed.
        var claims: Set<String> = []
    }

    /// The longest time for one reply of the store.
    private static let patience = Duration.milliseconds(250)
    private static let (firstPause, longestPause) = (Duration.milliseconds(25), Duration.milliseconds(400))
    /// How long a lock lives that is not renewed.
    private static let lockTime = Duration.seconds(5)
    /// How long a token without a lifetime is kept, and how long a refresh token: as long as the store allows.
    private static let (tokenTime, refreshTime) = (Duration.seconds(86_400), Duration.seconds(30 * 86_400))

    private let host: PluginHost
    private let key: FleetKey
    private let margin: Duration
    private let state = Mutex(State())

    init(_ key: FleetKey, _ settings: AuthenticationSettings, _ host: PluginHost) {
        (self.host, self.key) = (host, key)
        margin = max(settings.margin, .seconds(1))
    }

    func start(_ store: Store) { state.withLock { $0.store = store } }

    func stop() { state.withLock { $0.store = nil } }

    /// Finds the token of a fetch, or claims the fetch. Waits for another process that fetches, up to `limit`.
    ///
    /// - Parameters:
    ///   - identity: All that the fetch depends on, but the refresh token.
    ///   - stored: The process's own refresh token.
    ///   - isUsable: False for a token that was rejected.
    func find(
        _ identity: [String], _ stored: String?, within limit: Duration, isUsable: (String) -> Bool
    ) async -> Finding {
        let end = host.now + limit
        var pause = FleetTokens.firstPause
        do {
            let name = try await name(identity, stored)
            while true {
                let found = try await read(name)
                if let token = found.token, isUsable(token.text) { return .found(found) }
                if let lock = try await lock(name) { return await look(again: name, identity, lock, isUsable) }
                guard host.now + pause < end else { return .alone }
                try await host.sleep(for: pause)
                pause = min(pause * 2, FleetTokens.longestPause)
            }
        } catch {
            return .alone
        }
    }

    /// Under the lock: another process may have fetched the token before it was taken.
    private func look(
        again name: String, _ identity: [String], _ lock: Int64, _ isUsable: (String) -> Bool
    ) async -> Finding {
        let found = (try? await read(name)) ?? Found()
        let claim = Claim(name: name, identity: identity, lock: lock, found: found)
        if let token = found.token {
            if isUsable(token.text) {
                _ = try? await perform(release(claim))
                return .found(found)
            }
            // A rejected token must not reach further processes, also if the fetch fails.
            _ = try? await perform(.remove(["\(name)/token"]))
        }
        state.withLock { _ = $0.claims.insert(name) }
        renewLater(claim)
        return .claimed(claim)
    }

    /// Renews the lock of a claim until its end, so that the others wait for a process that lives, and only for such.
    private func renewLater(_ claim: Claim) {
        host.schedule(after: FleetTokens.lockTime / 2) { [self] in
            guard state.withLock({ $0.claims.contains(claim.name) }) else { return }
            perform(.renewLock("\(claim.name)/fetch", token: claim.lock, timeToLive: FleetTokens.lockTime)) { result in
                if case .success = result { self.renewLater(claim) }
            }
        }
    }

    /// Ends a claim. The store keeps what was fetched; nil after a failure. `done` is called once, on any thread.
    ///
    /// - Parameter refreshToken: The one to use from now on.
    func end(
        _ claim: Claim, _ token: (text: String, lifetime: Duration?)?, refreshToken: String?,
        _ done: @escaping @Sendable () -> Void
    ) {
        state.withLock { _ = $0.claims.remove(claim.name) }
        let giveBack = { @Sendable [self] in perform(release(claim)) { _ in done() } }
        guard let token else { return giveBack() }
        let rest = token.lifetime.map { min(margin, $0 / 2) }
        let time = token.lifetime.map { min($0 - (rest ?? .zero), FleetTokens.refreshTime) } ?? FleetTokens.tokenTime
        let number = rest.map { "\(Int64($0 / .milliseconds(1)))" } ?? "-"
        // The store has no shorter time.
        let isLong = time >= .milliseconds(1)
        var entries = isLong ? [entry("\(claim.name)/token", "\(number) \(token.text)", time)] : []
        if let refreshToken {
            let name = baseName(claim.identity, refreshToken)
            entries.append(entry("\(claim.name)/refresh", refreshToken, FleetTokens.refreshTime))
            entries.append(entry("\(name)/name", claim.name, FleetTokens.refreshTime))
        }
        perform(.put(entries)) { _ in giveBack() }
    }

    // MARK: Names and values

    private func baseName(_ identity: [String], _ refreshToken: String?) -> String {
        "authentication/1/\(key.name(identity + [refreshToken ?? ""]))"
    }

    /// What the keys of a fetch begin with: the name that its first refresh token gives.
    private func name(_ identity: [String], _ stored: String?) async throws(StoreFailure) -> String {
        let base = baseName(identity, stored)
        guard stored != nil else { return base }
        if let known = state.withLock({ $0.names[base] }) { return known }
        let reply = try await perform(.get(["\(base)/name"]))
        let name = text(reply.values.first, "\(base)/name") ?? base
        state.withLock { state in
            if state.names.count >= Keyring.limit { state.names = [:] }
            state.names[base] = name
        }
        return name
    }

    private func read(_ name: String) async throws(StoreFailure) -> Found {
        let keys = ["\(name)/token", "\(name)/refresh"]
        let values = try await perform(.get(keys)).values
        let parts = text(values.first, keys[0])?.split(separator: " ", maxSplits: 1) ?? []
        var found = Found(refreshToken: text(values.last, keys[1]))
        if parts.count == 2 { found.token = ("\(parts[1])", Int64(parts[0]).map { .milliseconds($0) }) }
        return found
    }

    private func entry(_ name: String, _ text: String, _ time: Duration) -> StoreEntry {
        let sealed = key.seal(Array(text.utf8), for: name, nonce: host.random(FleetKey.nonceSize))
        return StoreEntry(name, sealed, timeToLive: time)
    }

    /// Nil for what this process cannot decrypt.
    private func text(_ value: Bytes??, _ name: String) -> String? {
        guard let value = value ?? nil, let bytes = key.open(value, for: name) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    // MARK: The store

    /// Nil if another process has the lock.
    private func lock(_ name: String) async throws(StoreFailure) -> Int64? {
        do throws(StoreFailure) {
            return try await perform(.takeLock("\(name)/fetch", timeToLive: FleetTokens.lockTime)).number
        } catch {
            if error.kind == .refused { return nil }
            throw error
        }
    }

    private func release(_ claim: Claim) -> StoreCommand { .giveBackLock("\(claim.name)/fetch", token: claim.lock) }

    private func perform(_ command: StoreCommand) async throws(StoreFailure) -> StoreReply {
        try await withCheckedContinuation { continuation in
            perform(command) { continuation.resume(returning: $0) }
        }.get()
    }

    private func perform(
        _ command: StoreCommand, _ done: @escaping @Sendable (Result<StoreReply, StoreFailure>) -> Void
    ) {
        // Called under the lock: no reply comes within a call.
        let isAsked = state.withLock { state in
            state.store?.perform(command, within: FleetTokens.patience, done)
            return state.store != nil
        }
        if !isAsked { done(.failure(StoreFailure(.down, "There is no store."))) }
    }
}
