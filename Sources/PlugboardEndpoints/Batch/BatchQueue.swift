import PlugboardCore

/// Decides which request of a batch begins next: the one with the highest priority whose host has room. Of requests
/// with equal priority, the first begins.
struct BatchQueue {
    private enum Status { case waiting, running, ended }

    /// The requests to one origin, in the order in which they begin.
    private struct Line {
        var requests: [Int] = []
        /// The index of the first request that may still wait.
        var first = 0
        var running = 0
        let limit: Int
    }

    private var status: [Status]
    private var lines: [Line] = []
    /// The line of each request.
    private var lineOf: [Int]
    private let priorities: [CallPriority]
    private let limit: Int
    private var running = 0

    /// - Parameter requests: The priority and the origin of each request. Requests whose origin is not known are
    ///   subject only to `limit`.
    init(_ requests: [(priority: CallPriority, origin: Origin?)], limit: Int?, limitPerHost: Int?) {
        status = Array(repeating: .waiting, count: requests.count)
        priorities = requests.map(\.priority)
        // With a limit of 0 no batch would end.
        self.limit = max(limit ?? .max, 1)
        lineOf = Array(repeating: 0, count: requests.count)
        let hostLimit = max(limitPerHost ?? .max, 1)
        var known: [Origin?: Int] = [:]
        let order = requests.indices.sorted { left, right in
            requests[left].priority == requests[right].priority
                ? left < right : requests[left].priority > requests[right].priority
        }
        for index in order {
            // Without a limit for hosts, all requests are in one line.
            let origin = limitPerHost == nil ? nil : requests[index].origin
            let line = known[origin] ?? lines.count
            if line == lines.count {
                known[origin] = line
                lines.append(Line(limit: origin == nil ? .max : hostLimit))
            }
            lines[line].requests.append(index)
            lineOf[index] = line
        }
    }

    /// The request that begins now; nil if none may.
    mutating func next() -> Int? {
        guard running < limit else { return nil }
        var best: Int?
        for line in lines.indices {
            guard lines[line].running < lines[line].limit, let request = head(of: line) else { continue }
            if let other = best, !comes(request, before: other) { continue }
            best = request
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

    /// The first waiting request of a line.
    private mutating func head(of line: Int) -> Int? {
        while lines[line].first < lines[line].requests.count {
            let request = lines[line].requests[lines[line].first]
            if status[request] == .waiting { return request }
            lines[line].first += 1
        }
        return nil
    }

    private func comes(_ one: Int, before other: Int) -> Bool {
        priorities[one] == priorities[other] ? one < other : priorities[one] > priorities[other]
    }
}
