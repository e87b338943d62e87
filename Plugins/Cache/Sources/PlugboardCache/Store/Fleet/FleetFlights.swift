import PlugboardKit
import PlugboardStore
import Synchronization

/// Flights of all processes of a fleet: of identical requests, one process sends one, which has a lock of the store.
///
/// How a flight ended is written under the lock's name, and the processes that wait are told by their watch. A process
/// that ended without that loses its lock by itself.
struct FleetFlights: Sendable {
    /// How long a lock lives that is not renewed.
    static let lockTime = Duration.seconds(3)
    static let renewal = Duration.seconds(1)
    /// How long it can be read how a flight ended.
    private static let noteTime = Duration.seconds(2)

    let store: FleetCacheStore

    init(_ store: FleetCacheStore) { self.store = store }

    /// False during an outage: then this process leads for itself.
    var isUsable: Bool { !store.access.isReadOnly }

    enum Boarding: Sendable {
        /// This process leads; without a lease during an outage.
        case leads(FleetLease?)
        /// Another process leads, or its flight has ended like this. Nil: it may have ended, and the caller boards
        /// again.
        case follows(Flight.Ending?)
    }

    /// Takes the lock, or waits until the flight of another process ends.
    /// - Parameter done: Called once, on any thread; not if the process that leads dies.
    func board(_ flight: Flight, mayRetry: Bool = true, _ done: @escaping @Sendable (Boarding) -> Void) {
        lead(flight) { boarding in
            if case .follows = boarding { follow(flight, mayRetry, done) } else { done(boarding) }
        }
    }

    /// Takes the lock; `.follows(nil)` if another process has it.
    func lead(_ flight: Flight, _ done: @escaping @Sendable (Boarding) -> Void) {
        let name = store.names.flight(flight.key)
        store.access.write(.takeLock(name, timeToLive: FleetFlights.lockTime), within: FleetAccess.patience) { result in
            switch result {
            case .success(let reply): done(.leads(FleetLease(name, reply.number, flight, self)))
            case .failure(let failure): done(failure.kind == .refused ? .follows(nil) : .leads(nil))
            }
        }
    }

    private func follow(_ flight: Flight, _ mayRetry: Bool, _ done: @escaping @Sendable (Boarding) -> Void) {
        let (told, name) = (Told(done), store.names.flight(flight.key))
        store.watch.wait(for: name) {
            store.access.get([name], isWatched: false) { result in
                told.end(.follows((try? result.get()).flatMap(FleetFlights.ending)))
            }
        }
        store.access.get([name], isWatched: true) { result in
            guard let values = try? result.get() else { return told.end(.leads(nil)) }
            switch FleetFlights.ending(values) {
            // The flight under way will end in the same way.
            case .fruitless: told.end(.follows(.fruitless))
            // The flight has ended meanwhile, or this is how an earlier one ended.
            case .landed, .failed:
                if mayRetry, let done = told.take() { board(flight, mayRetry: false, done) }
            case nil: break
            }
        }
    }

    /// Ends a flight after what it has stored was written.
    func end(_ name: String, _ token: Int64, _ key: CacheKey, _ ending: Flight.Ending) {
        store.inOrder(key) {
            store.access.write(.giveBackLock(name, token: token)) { _ in }
            let note: UInt8 =
                switch ending {
                case .landed: 1
                case .fruitless: 2
                case .failed: 3
                }
            // With the token, so that each value differs from the one before.
            let value = Bytes([note] + withUnsafeBytes(of: token.littleEndian) { Array($0) })
            store.access.write(.put([StoreEntry(name, value, timeToLive: FleetFlights.noteTime)])) { _ in }
        }
    }

    private static func ending(_ values: [Bytes?]) -> Flight.Ending? {
        switch values[0]?.first {
        case 1: .landed
        case 2: .fruitless
        case 3: .failed
        default: nil
        }
    }

    /// Calls its function once.
    private final class Told: Sendable {
        private let done: Mutex<(@Sendable (Boarding) -> Void)?>
        init(_ done: @escaping @Sendable (Boarding) -> Void) { self.done = Mutex(done) }

        func take() -> (@Sendable (Boarding) -> Void)? { done.withLock { $0.take() } }
        func end(_ boarding: Boarding) { take()?(boarding) }
    }
}
