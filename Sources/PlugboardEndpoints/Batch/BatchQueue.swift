import PlugboardCore

/// Decides which request of a batch begins next: the one with the highest priority whose host has room. Of requests
/// with equal priority, the first begins.
struct BatchQueue {
    private enum Status { case waiting, running, ended }

    /// The requests to one origin.
    private struct Line {
        /// The requests that have not begun; the next one is the last. Some may have ended.
        var waiting: [Int] = []
        var running = 0
        let limit: Int
    }

    private var status: [Status]
    private var lines: [Line] = []
    /// The line of each request, and its position in the order of all.
    private var lineOf: [Int]
    private var rankOf: [Int]
    private let limit: Int
    private var running = 0

    /// - Parameter requests: The priority and the origin of each request. Requests whose origin is not known are
    ///   subject only to `limit`.
    init(_ requests: [(priority: CallPriority, origin: Origin?)], limit: Int?, limitPerHost: Int?) {
        status = Array(repeating: .waiting, count: requests.count)
        // With a limit of 0 no batch would end.
        self.limit = max(limit ?? .max, 1)
        lineOf = Array(repeating: 0, count: requests.count)
        rankOf = lineOf
        var known: [Origin?: Int] = [:]
        let order = requests.indices.sorted { (requests[$1].priority, $0) < (requests[$0].priority, $1) }
        for (rank, index) in order.enumerated().reversed() {
            // Without a limit for hosts, all requests are in one line.
            let origin = limitPerHost == nil ? nil : requests[index].origin
            let line = known[origin] ?? lines.count
            if line == lines.count {
                known[origin] = line
                lines.append(Line(limit: origin == nil ? .max : max(limitPerHost ?? .max, 1)))
            }
            lines[line].waiting.append(index)
            (lineOf[index], rankOf[index]) = (line, rank)
        }
    }

    /// The request that begins now; nil if none may.
    mutating func next() -> Int? {
        guard running < limit else { return nil }
        var best: Int?
        for line in lines.indices where lines[line].running < lines[line].limit {
            while let request = lines[line].waiting.last, status[request] != .waiting {
                lines[line].waiting.removeLast()
            }
            guard let request = lines[line].waiting.last else { continue }
            if best.map({ rankOf[request] < rankOf[$0] }) ?? true { best = request }
        }
        guard let best else { return nil }
        status[best] = .running
        running += 1
        lines[lineOf[best]].running += 1
        return best
    }

    /// Frees the place of a request that has ended, whether or not it had begun.
    mutating func end(_ request: Int) {
        if status[request] == .running {
            running -= 1
            lines[lineOf[request]].running -= 1
        }
        status[request] = .ended
    }

    /// The requests that have begun and have not ended.
    var begun: [Int] { status.indices.filter { status[$0] == .running } }
}
