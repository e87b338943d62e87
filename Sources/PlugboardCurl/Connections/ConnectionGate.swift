import PlugboardTransport

/// Prevents attempts that can share one connection from opening a connection each.
///
/// libcurl shares an HTTP/2 connection only after it is open: an attempt that starts earlier opens its own connection.
/// So at most `limit` attempts to one origin that may use HTTP/2 look for a connection at a time; the others wait
/// until these have one. An origin that responded in HTTP/1 has no such limit.
struct ConnectionGate {
    /// The most attempts that look for a connection to one origin at a time.
    static let limit = 16
    /// How many origins that use HTTP/1 are remembered. When there would be more, all are forgotten.
    private static let knownLimit = 4096

    /// The state of an attempt at the gate.
    enum Stage {
        /// The attempt cannot share connections and is not counted.
        case free
        case waiting, looking, passed
    }

    private struct Origin {
        var looking = 0
        var waiting: [Transfer] = []
        /// The index in `waiting` of the next attempt.
        var next = 0

        /// Returns true and counts the transfer among those that look for a connection, or adds it to those that wait.
        mutating func admits(_ transfer: Transfer) -> Bool {
            if looking < ConnectionGate.limit {
                looking += 1
                return true
            }
            waiting.append(transfer)
            return false
        }
    }

    private var origins: [String: Origin] = [:]
    private var speakHTTP1: Set<String> = []
    private var admitted: [Transfer] = []

    var hasAdmitted: Bool { !admitted.isEmpty }

    func speaksHTTP1(_ destination: String) -> Bool { speakHTTP1.contains(destination) }

    /// Whether the attempt may start now; otherwise `takeAdmitted` returns it later.
    mutating func admits(_ transfer: Transfer) -> Bool {
        guard transfer.mayMultiplex, !speakHTTP1.contains(transfer.destination) else { return true }
        let mayLook = origins[transfer.destination, default: Origin()].admits(transfer)
        transfer.gateStage = mayLook ? .looking : .waiting
        return mayLook
    }

    /// The waiting attempts that may start now, in order.
    mutating func takeAdmitted() -> [Transfer] {
        defer { admitted = [] }
        return admitted
    }

    /// Notes that the attempt has its connection.
    mutating func noteConnection(of transfer: Transfer) {
        guard transfer.gateStage == .looking else { return }
        transfer.gateStage = .passed
        release(at: transfer.destination)
    }

    /// Notes that the origin responds in HTTP/1, so that each attempt needs its own connection.
    mutating func noteHTTP1(of transfer: Transfer) {
        guard transfer.gateStage != .free, !speakHTTP1.contains(transfer.destination) else { return }
        if speakHTTP1.count >= ConnectionGate.knownLimit { speakHTTP1.removeAll() }
        speakHTTP1.insert(transfer.destination)
        releaseAll(at: transfer.destination)
    }

    /// Notes that the attempt has ended. If libcurl ended it without a connection, all waiting attempts may start.
    mutating func remove(_ transfer: Transfer) {
        switch transfer.gateStage {
        case .free, .passed: return
        case .waiting: transfer.gateStage = .passed
        case .looking:
            transfer.gateStage = .passed
            if transfer.ending == nil { releaseAll(at: transfer.destination) }
            release(at: transfer.destination)
        }
    }

    private mutating func release(at destination: String) {
        guard var origin = origins[destination] else { return }
        // Removed from the dictionary during the change, so that the list is not copied.
        origins[destination] = nil
        origin.looking -= 1
        while origin.looking < ConnectionGate.limit, origin.next < origin.waiting.count {
            let transfer = origin.waiting[origin.next]
            origin.next += 1
            guard transfer.gateStage == .waiting else { continue }
            transfer.gateStage = .looking
            origin.looking += 1
            admitted.append(transfer)
        }
        if origin.next == origin.waiting.count { (origin.waiting, origin.next) = ([], 0) }
        if origin.next > 64, origin.next > origin.waiting.count / 2 {
            origin.waiting.removeFirst(origin.next)
            origin.next = 0
        }
        if origin.looking > 0 || !origin.waiting.isEmpty { origins[destination] = origin }
    }

    private mutating func releaseAll(at destination: String) {
        guard let origin = origins[destination] else { return }
        // Those that look for a connection are counted until each has one.
        origins[destination] = Origin(looking: origin.looking)
        for transfer in origin.waiting[origin.next...] where transfer.gateStage == .waiting {
            transfer.gateStage = .passed
            admitted.append(transfer)
        }
    }
}
