import Synchronization

/// The keepers of all credentials in use. Called from any thread.
final class Keyring: Sendable {
    /// The most credentials kept: a program may have one for each of its users.
    static let limit = 256

    private let keepers = Mutex<[Credential: Keeper]>([:])
    private let pause: Duration

    init(pause: Duration) { self.pause = pause }

    /// The one keeper of a credential. At the limit, the least recently used keeper that is not fetching is removed.
    func keeper(of credential: Credential, at now: Duration) -> Keeper {
        keepers.withLock { keepers in
            if let keeper = keepers[credential] { return keeper }
            if keepers.count >= Self.limit {
                let idle = keepers.values.lazy.map { (keeper: $0, status: $0.status(at: now)) }
                    .filter { !$0.status.isFetching }
                if let oldest = idle.min(by: { $0.status.lastUse < $1.status.lastUse }) {
                    keepers[oldest.keeper.credential] = nil
                }
            }
            let keeper = Keeper(credential, pause: pause, at: now)
            keepers[credential] = keeper
            return keeper
        }
    }

    var all: [Keeper] { keepers.withLock { Array($0.values) } }

    /// Removes all keepers; exchanges that wait for a flight still get its outcome.
    func forget() -> Int {
        keepers.withLock { keepers in
            defer { keepers = [:] }
            return keepers.count
        }
    }
}
