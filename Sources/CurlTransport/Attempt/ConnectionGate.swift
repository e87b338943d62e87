import Transporting

/// Keeps attempts from opening a connection each where one connection takes many.
///
/// libcurl shares an HTTP/2 connection only once it stands: what looks for a connection before that opens one of its own. So
/// of the attempts at one origin that may use HTTP/2, a few look for a connection at a time, and the others wait until
/// these have found one. An origin that has answered with HTTP/1 has no such limit.
struct ConnectionGate {
    /// Attempts that may look for a connection to one origin at a time.
    static let limit = 16
    /// Origins that are known to speak HTTP/1; when there are more, all are forgotten.
    private static let knownLimit = 4096

    /// How far an attempt has come.
    enum Stage {
        /// It is not counted: it cannot share connections.
        case free
        case waiting, looking, passed
    }

    private struct Origin {
        var looking = 0
        var waiting: [Transfer] = []
        /// The first of `waiting` that has not been taken out.
        var next = 0

        /// Takes the transfer among those that look, or that wait.
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

    func speaksHTTP1(_ place: String) -> Bool { speakHTTP1.contains(place) }

    /// Whether the attempt may begin now; else it is among `takeAdmitted` later.
    mutating func admits(_ transfer: Transfer) -> Bool {
        guard transfer.mayMultiplex, let place = transfer.url?.place, !speakHTTP1.contains(place) else { return true }
        let mayLook = origins[place, default: Origin()].admits(transfer)
        transfer.gateStage = mayLook ? .looking : .waiting
        return mayLook
    }

    /// Those that may begin now, in order.
    mutating func takeAdmitted() -> [Transfer] {
        defer { admitted = [] }
        return admitted
    }

    /// The attempt has its connection.
    mutating func noteConnection(of transfer: Transfer) {
        guard transfer.gateStage == .looking, let place = transfer.url?.place else { return }
        transfer.gateStage = .passed
        release(at: place)
    }

    /// The origin answers with HTTP/1: each attempt needs a connection of its own.
    mutating func noteHTTP1(of transfer: Transfer) {
        guard transfer.gateStage != .free, let place = transfer.url?.place, !speakHTTP1.contains(place) else { return }
        if speakHTTP1.count >= ConnectionGate.knownLimit { speakHTTP1.removeAll() }
        speakHTTP1.insert(place)
        releaseAll(at: place)
    }

    /// The attempt is over. One that found no connection lets the others try for themselves, at once.
    mutating func remove(_ transfer: Transfer) {
        guard let place = transfer.url?.place else { return }
        switch transfer.gateStage {
        case .free, .passed: return
        case .waiting: transfer.gateStage = .passed
        case .looking:
            transfer.gateStage = .passed
            if transfer.ending == nil { releaseAll(at: place) }
            release(at: place)
        }
    }

    private mutating func release(at place: String) {
        guard var origin = origins[place] else { return }
        // Taken out, so that the list is not copied.
        origins[place] = nil
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
        if origin.looking > 0 || !origin.waiting.isEmpty { origins[place] = origin }
    }

    private mutating func releaseAll(at place: String) {
        guard let origin = origins[place] else { return }
        // Those that look stay counted until each has found its connection.
        origins[place] = Origin(looking: origin.looking)
        for transfer in origin.waiting[origin.next...] where transfer.gateStage == .waiting {
            transfer.gateStage = .passed
            admitted.append(transfer)
        }
    }
}
