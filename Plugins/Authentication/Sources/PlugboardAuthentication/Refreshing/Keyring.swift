import PlugboardKit
import Synchronization

/// The keepers of all credentials in use. Called from any thread.
final class Keyring: Sendable {
    /// The most credentials kept: a program may have one for each of its users.
    static let limit = 256

    private struct Key: Hashable {
        let credential: Credential
        let routes: String
    }

    private let keepers = Mutex<[Key: Keeper]>([:])
    private let pause: Duration

    init(pause: Duration) { self.pause = pause }

    /// The one keeper of a credential and, if its secret comes from a server, of `Exchange.ownRoutes`. At the limit,
    /// the least recently used keeper that is not fetching is removed.
    ///
    /// - Parameter inheritance: Called for a new keeper whose secret comes from a server.
    func keeper(
        of credential: Credential, by routes: @autoclosure () -> String = "", at now: Duration,
        inheritance: () -> Inheritance = { .nothing }
    ) -> Keeper {
        let isOfServer = credential.isOfServer
        let key = Key(credential: credential, routes: isOfServer ? routes() : "")
        return keepers.withLock { keepers in
            if let keeper = keepers[key] { return keeper }
            if keepers.count >= Self.limit {
                let idle = keepers.values.lazy.map { (keeper: $0, status: $0.status(at: now)) }
                    .filter { !$0.status.isFetching }
                if let oldest = idle.min(by: { $0.status.lastUse < $1.status.lastUse }) {
                    keepers[Key(credential: oldest.keeper.credential, routes: oldest.keeper.routes)] = nil
                }
            }
            let keeper = Keeper(
                credential, by: key.routes, inheriting: isOfServer ? inheritance() : .nothing, pause: pause, at: now)
            keepers[key] = keeper
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
