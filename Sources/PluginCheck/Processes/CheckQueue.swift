import PlugboardKit
import PlugboardSystem

/// Runs checks in their processes: as many at once as there are processors.
struct CheckQueue {
    let path: String
    let arguments: (_ check: String) -> [String]

    /// Blocks until the last has ended. Results are returned and reported in the order of the checks.
    func run(_ checks: [Check], _ tell: (CheckProgress) -> Void) throws(PlugboardError) -> [CheckResult] {
        var waiting = checks[...]
        var running: [CheckProcess] = []
        var results: [String: CheckResult] = [:]
        var told = 0
        let limit = max(Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), 1)
        while !waiting.isEmpty || !running.isEmpty {
            let before = running.count
            while running.count < limit, let check = waiting.popFirst() {
                running.append(try CheckProcess(check, arguments: arguments(check.name)))
            }
            if running.count > before { tell(.running(running.map(\.check.name))) }
            var polls = running.flatMap(\.descriptors).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            _ = poll(&polls, nfds_t(polls.count), 200)
            for index in running.indices { running[index].proceed() }
            for process in running where process.descriptors.isEmpty {
                results[process.check.name] = process.result()
            }
            running.removeAll { $0.descriptors.isEmpty }
            while told < checks.count, let result = results[checks[told].name] {
                tell(.ended(result))
                told += 1
            }
        }
        return checks.compactMap { results[$0.name] }
    }
}
