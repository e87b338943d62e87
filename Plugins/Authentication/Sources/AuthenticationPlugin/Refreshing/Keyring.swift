import Synchronization

/// The keepers of all credentials that are in use. From any thread.
final class Keyring: Sendable {
    /// Credentials that are kept: programs may make as many as they have users.
    static let limit = 256

    private let keepers = Mutex<[Credential: Keeper]>([:])
    private let pause: Duration

    init(pause: Duration) { self.pause = pause }

    /// The one keeper of a credential. Where there are too many, the one that was not needed for longest goes, with
    /// what it knows.
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

    /// Who waits for a flight still gets its outcome.
    func forget() -> Int {
        keepers.withLock { keepers in
            defer { keepers = [:] }
            return keepers.count
        }
    }
}
