import TestSupport
import Testing

@_spi(QueueStores) @testable import PlugboardQueue

/// Lines, exchanges and claims on a file that is only a table, in orders that seeds decide: exchanges come, wait, are
/// woken late, run out of time and are cancelled; another process writes rows; the file is asked and forgotten; the
/// network comes and goes.
struct LinesModelTests {
    @Test(arguments: 0..<300) func `exchanges of a line go on one at a time and in their order`(seed: UInt64) throws {
        let run = LinesRun(seed: seed)

        for step in 0..<300 {
            let action = run.act()
            try #require(run.mistakes == [], "step \(step) of seed \(seed): \(action)")
        }
        run.endAll()

        #expect(run.mistakes == [])
        #expect(run.sent + run.queued > 20)
    }
}

private final class LinesRun {
    private enum Phase { case waiting, passing, queueing, adding }

    private struct Exchange {
        let name: Int
        let line: String
        let kind: Lines<Int>.Kind
        var number: UInt64?
        var phase: Phase
    }

    private static let names = ["c", "d"]

    private var random: SeededRandom
    private var lines = Lines<Int>()
    private var exchanges: [Exchange] = []
    /// The rows of a line in the file, by the exchange, or of another process.
    private var rows: [String: [Int]] = ["c": [], "d": []]
    /// Rows that this process sends.
    private var replayed: [String: Int] = [:]
    private var canWait = true
    private var last = 0
    /// The last exchange of each line that went on: none that came before it does so later.
    private var gone: [String: Int] = [:]
    private(set) var mistakes: [String] = []
    private(set) var (sent, queued) = (0, 0)

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    private func chance(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    func act() -> String {
        let line = LinesRun.names[chance(2)]
        defer { check() }
        switch chance(14) {
        case 0..<4: return come(line)
        case 4..<7: return finish()
        case 7: return cancel()
        case 13: return runOut()
        case 8:
            lines.set(line, isBusy: isBusy(line))
            wake()
            return "the file is asked for \(line)"
        case 9:
            lines.forget()
            return "the file was changed"
        case 10..<13: return claim(line)
        default:
            canWait.toggle()
            if !canWait { lines.giveUp(origin: chance(2) == 0 ? "o" : nil) }
            wake()
            return "the network changes"
        }
    }

    private func isBusy(_ line: String) -> Bool { !(rows[line] ?? []).isEmpty || replayed[line] != nil }

    private func come(_ line: String) -> String {
        last += 1
        let kind: Lines<Int>.Kind = [.kept, .kept, .later, .unkept][chance(4)]
        // As a request does that finds the file changed by others.
        if chance(4) == 0 { lines.forget() }
        switch lines.enter(line, kind, canWait: canWait) {
        case .pass(let number):
            if let number { goOn(Exchange(name: last, line: line, kind: kind, number: number, phase: .passing)) }
        case .queue(let number):
            goOn(Exchange(name: last, line: line, kind: kind, number: number, phase: .queueing))
        case .wait:
            let number = lines.wait(line, kind, "o", last)
            exchanges.append(Exchange(name: last, line: line, kind: kind, number: number, phase: .waiting))
            wake()
        }
        return "\(last) comes to \(line): \(kind)"
    }

    /// The rules: one passes, one is put into the file, and none overtakes another.
    private func goOn(_ exchange: Exchange) {
        let others = exchanges.filter { $0.line == exchange.line && $0.phase == exchange.phase }
        if !others.isEmpty { mistakes.append("\(exchange.name) goes on beside \(others[0].name)") }
        if exchange.name < gone[exchange.line] ?? 0 { mistakes.append("\(exchange.name) is overtaken") }
        gone[exchange.line] = exchange.name
        if exchange.phase == .passing {
            sent += 1
            if replayed[exchange.line] != nil { mistakes.append("\(exchange.name) is sent beside a replay") }
            if exchanges.contains(where: { $0.line == exchange.line && [.queueing, .adding].contains($0.phase) }) {
                mistakes.append("\(exchange.name) is sent before one that is put into the file")
            }
        } else {
            queued += 1
        }
        exchanges.append(exchange)
    }

    private func wake() {
        for name in lines.takeWoken() { visit(name) }
    }

    private func visit(_ name: Int) {
        guard let index = exchanges.firstIndex(where: { $0.name == name && $0.phase == .waiting }),
            let number = exchanges[index].number
        else { return }
        var exchange = exchanges[index]
        switch lines.step(exchange.line, number) {
        case .pass(nil):
            exchanges.remove(at: index)
            lines.leave(exchange.line, number)
            if exchange.kind != .unkept { mistakes.append("\(name) has lost its place") }
        case .pass:
            exchanges.remove(at: index)
            exchange.phase = .passing
            goOn(exchange)
        case .queue:
            exchanges.remove(at: index)
            exchange.phase = .queueing
            goOn(exchange)
        case .wait:
            if !lines.wait(exchange.line, number, name) { return visit(name) }
        }
        wake()
    }

    /// One that goes on has its outcome, or its row.
    private func finish() -> String {
        let going = exchanges.filter { $0.phase != .waiting }
        guard !going.isEmpty else { return "nothing ends" }
        let exchange = going[chance(going.count)]
        end(exchange)
        return "\(exchange.name) ends"
    }

    private func end(_ exchange: Exchange) {
        if exchange.phase == .queueing, chance(3) > 0 { return place(exchange) }
        // The file writes them in the order in which it got them.
        let exchange = exchange.phase == .adding ? adding(exchange.line)[0] : exchange
        if exchange.phase == .queueing { for other in adding(exchange.line) { end(other) } }
        if [.queueing, .adding].contains(exchange.phase) {
            rows[exchange.line]?.append(exchange.name)
            lines.set(exchange.line, isBusy: true)
        }
        exchanges.removeAll { $0.name == exchange.name }
        if let number = exchange.number { lines.leave(exchange.line, number) }
        // As the replayer does: the file is asked for a line that is waited for.
        if lines.isWaitedFor(exchange.line) { lines.set(exchange.line, isBusy: isBusy(exchange.line)) }
        wake()
    }

    private func adding(_ line: String) -> [Exchange] { exchanges.filter { $0.line == line && $0.phase == .adding } }

    private func place(_ exchange: Exchange) {
        guard let number = exchange.number, let index = exchanges.firstIndex(where: { $0.name == exchange.name }) else {
            return
        }
        // The last of those that are being added.
        exchanges.append(exchanges.remove(at: index))
        exchanges[exchanges.count - 1].phase = .adding
        lines.place(exchange.line, number)
        wake()
    }

    private func cancel() -> String {
        guard !exchanges.isEmpty else { return "nothing is cancelled" }
        let exchange = exchanges.remove(at: chance(exchanges.count))
        if let number = exchange.number { lines.leave(exchange.line, number) }
        if lines.isWaitedFor(exchange.line) { lines.set(exchange.line, isBusy: isBusy(exchange.line)) }
        wake()
        return "\(exchange.name) is cancelled"
    }

    private func runOut() -> String {
        let waiting = exchanges.filter { $0.phase == .waiting }
        guard !waiting.isEmpty else { return "nothing runs out of time" }
        let name = waiting[chance(waiting.count)].name
        visit(name)
        return "\(name) runs out of time"
    }

    /// A row begins to be sent, or has its outcome.
    private func claim(_ line: String) -> String {
        if replayed.removeValue(forKey: line) != nil {
            lines.set(line, isBusy: isBusy(line))
            wake()
            return "a row of \(line) is delivered"
        }
        guard rows[line]?.isEmpty == false, !lines.isPassed(line) else { return "nothing is taken" }
        replayed[line] = rows[line]?.removeFirst()
        return "a row of \(line) is taken"
    }

    /// When the line is known to be empty and nothing goes on, none waits.
    private func check() {
        for line in LinesRun.names where lines.isBusy(line) == false {
            let own = exchanges.filter { $0.line == line }
            if !own.isEmpty, own.allSatisfy({ $0.phase == .waiting }) {
                mistakes.append("\(own.map(\.name)) wait for nothing")
            }
        }
    }

    func endAll() {
        for _ in 0..<10_000
        where !exchanges.isEmpty || rows.values.contains(where: { !$0.isEmpty }) || !replayed.isEmpty {
            if let exchange = exchanges.first(where: { $0.phase != .waiting }) { end(exchange) }
            for line in LinesRun.names {
                _ = claim(line)
                lines.set(line, isBusy: isBusy(line))
                wake()
            }
            check()
        }
        if !exchanges.isEmpty || lines.hasWaiters { mistakes.append("\(exchanges.map(\.name)) still wait") }
    }
}
