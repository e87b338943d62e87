import TestSupport
import Testing

@testable import PlugboardLimit

/// Tables that share their rates by a store, without a kernel.
struct SharedRateTests {
    private static let second: Int64 = 1_000_000_000
    private let store = SceneStore()
    private let names = [TableScene.name(0)]

    private func fleet(_ count: Int, _ limits: String) throws -> [TableScene] {
        try (0..<count).map { _ in try TableScene([("*", limits)], store: store) }
    }

    private func advance(_ fleet: [TableScene], toSeconds seconds: Double) {
        let end = Int64(seconds * 1e9)
        while let now = fleet.first?.now, now < end {
            for scene in fleet { scene.advance(to: min(now + 500_000, end)) }
        }
    }

    /// The portions that processes have at hand now, or that are on their way to them.
    private func held(_ fleet: [TableScene]) -> Int {
        let leases = fleet.flatMap { scene in scene.allKeys.flatMap { key in key.leases.map { ($0, scene.now) } } }
        return leases.reduce(store.underWay) { $0 + $1.0.left(at: $1.1) }
    }

    /// The most requests by which those of a time of almost a second exceed a rate and what was held at its beginning,
    /// of requests and of portions for each millisecond.
    private func excess(_ sent: [Int], _ held: [Int], rate: Int) -> Int {
        sent.indices.dropFirst().map { sent[$0...].prefix(999).reduce(0, +) - rate - held[$0 - 1] }.max() ?? 0
    }

    @Test func `processes together have no more than the rate, and the next room when it comes back`() throws {
        let fleet = try fleet(3, "6/s")
        let admissions = fleet.map { scene in (1...4).map { _ in scene.enter(names, as: "sent") } }

        advance(fleet, toSeconds: 0.5)
        let before = fleet.flatMap(\.lines).count
        for (scene, all) in zip(fleet, admissions) { for admission in all { scene.attempt(admission) } }
        advance(fleet, toSeconds: 2)

        #expect(before == 6 && fleet.flatMap(\.lines).count == 12)
    }

    @Test func `what is taken ahead of requests goes back if none come`() throws {
        let scene = try TableScene([("*", "100/s")], store: store)
        let admission = scene.enter(names)
        scene.advance(toSeconds: 0.01)
        scene.attempt(admission)
        scene.advance(toSeconds: 0.02)
        let ahead = store.ends.count

        scene.advance(toSeconds: 0.5)

        #expect(ahead == 2 && store.ends.count == 1)
    }

    @Test func `a request finds what was taken ahead of it, and does not wait`() throws {
        let scene = try TableScene([("*", "100/s")], store: store)
        let first = scene.enter(names, as: "first")
        let before = scene.lines
        scene.advance(toSeconds: 0.01)
        scene.attempt(first)
        scene.advance(toSeconds: 0.02)

        scene.enter(names, as: "second")

        #expect(before == [] && scene.lines == ["first", "second"])
    }

    @Test func `a portion of many requests stays until its end once something of it is used`() throws {
        let fleet = try fleet(2, "2560/h")
        let first = fleet[0].enter(names, as: "first")
        fleet[0].advance(toSeconds: 1)
        fleet[0].attempt(first)

        fleet[0].advance(toSeconds: 1800)
        for number in 2...5 { fleet[0].enter(names, as: "\(number)") }

        #expect(fleet[0].lines == ["first", "2", "3", "4", "5"] && store.asked == 1)
    }

    @Test func `attempts that did not ask are paid for by the next portions`() throws {
        let scene = try TableScene([("*", "4/s")], store: store)
        let first = scene.enter(names, as: "first")
        scene.advance(toSeconds: 0.01)
        for _ in 1...3 { scene.attempt(first, names) }
        scene.enter(names, as: "second")
        scene.advance(toSeconds: 0.1)

        #expect(scene.lines == ["first", "second"] && store.ends.count == 4)
    }

    @Test func `a store that fails lets each process act alone, and is asked again after a second`() throws {
        store.isOut = true
        let scene = try TableScene([("*", "2/s")], store: store)
        let first = scene.enter(names, as: "first")
        let held = scene.lines
        scene.advance(toSeconds: 0.01)
        scene.attempt(first)
        scene.attempt(scene.enter(names, as: "second"))
        scene.enter(names, as: "third")
        let (alone, asked) = (scene.lines, store.asked)

        store.isOut = false
        scene.advance(toSeconds: 1.2)
        scene.attempt(scene.enter(names, as: "fourth"))
        scene.advance(toSeconds: 1.3)

        #expect(held == [] && alone == ["first", "second"] && asked == 1)
        #expect(scene.lines == ["first", "second", "third", "fourth"] && store.asked > 1 && !store.ends.isEmpty)
    }

    @Test func `a request that may not wait waits for a store that has not replied, and no other`() throws {
        let scene = try TableScene([("*", "1/s")], store: store)

        let waiting = scene.enter(names, as: "first", within: 0)
        let before = scene.lines
        scene.advance(toSeconds: 0.01)

        #expect(waiting != nil && before == [] && scene.lines == ["first"])
        #expect(scene.enter(names, as: "second", within: 0) == nil)
    }

    @Test func `a request that may wait for a short time waits for the store no longer`() throws {
        let scene = try TableScene([("*", "1/s")], store: store)

        let (short, _) = scene.table.enter(names, within: 10, at: 0)
        let (none, _) = scene.table.enter(names, within: 0, at: 0)

        guard case .waits(_, _, 10) = short, case .waits(_, _, 100_000_000) = none else {
            Issue.record("They wait otherwise: \(short), \(none).")
            return
        }
    }

    @Test func `forget gives back what this process has taken`() throws {
        let fleet = try fleet(2, "1/h")
        for scene in fleet { scene.enter(names, as: "sent") }
        for scene in fleet { scene.advance(toSeconds: 0.1) }
        let before = fleet.flatMap(\.lines)
        fleet[0].forget()

        fleet[1].advance(toSeconds: 2)

        #expect(before == ["sent"] && fleet.flatMap(\.lines) == ["sent", "sent"])
    }

    @Test func `what an ask brings from before forget goes back`() throws {
        let scene = try TableScene([("*", "1/h")], store: store)
        scene.leave(scene.enter(names))
        scene.forget()

        scene.advance(toSeconds: 0.01)

        #expect(store.asked == 1 && store.ends.isEmpty && scene.table.isEmpty)
    }

    @Test func `a store that never replies does not stop a key, and what comes too late goes back`() throws {
        let scene = try TableScene([("*", "10/h")], store: store)
        store.isSilent = true
        scene.attempt(scene.enter(names, as: "first"))
        scene.advance(toSeconds: 0.2)
        let alone = scene.lines

        (store.isSilent, store.delay) = (false, 80_000_000)
        scene.advance(toSeconds: 2)
        let taken = store.ends.count
        scene.attempt(scene.enter(names, as: "second"))
        scene.advance(toSeconds: 2.5)

        #expect(alone == ["first"] && scene.lines == ["first", "second"])
        #expect(store.asked == 2 && store.ends.count == taken)
    }

    @Test func `an outage is known for all keys, and one asks for all whether it is over`() throws {
        let scene = try TableScene([("*", "5/h, by origin")], store: store)
        store.isOut = true
        scene.enter([TableScene.name(0, "a")], as: "a")
        scene.advance(toSeconds: 0.01)

        for second in 1...3 {
            for name in ["b", "c", "d"] { scene.attempt(scene.enter([TableScene.name(0, name)], as: name)) }
            scene.advance(toSeconds: Double(second) * 1.1)
        }
        let asked = store.asked
        store.isOut = false
        scene.attempt(scene.enter([TableScene.name(0, "e")], as: "e"))
        scene.advance(toSeconds: 4)

        #expect(scene.lines == ["a", "b", "c", "d", "b", "c", "d", "b", "c", "d", "e"] && asked == 3)
        #expect(scene.news.lines == ["began", "ended"])
    }

    @Test func `while the store is out a process first uses the portions that it has`() throws {
        let scene = try TableScene([("*", "100/h")], store: store)
        for _ in 1...3 { scene.enter(names, as: "sent") }
        scene.advance(toSeconds: 0.01)
        store.isOut = true
        let admissions = (1...3).map { _ in scene.enter(names) }
        scene.advance(toSeconds: 0.02)

        let before = scene.table.endLeases().unused.flatMap(\.numbers).count
        for admission in admissions { scene.attempt(admission) }

        #expect(scene.news.lines == ["began"] && before == 3)
    }

    @Test func `a process asks again at once where others were faster, but not for ever`() throws {
        let scene = try TableScene([("*", "32/m")], store: store)
        store.contentions = 3
        scene.enter(names, as: "first")
        scene.advance(toSeconds: 0.01)
        let asked = store.asked

        store.contentions = .max
        scene.enter(names, as: "second")
        scene.advance(toSeconds: 0.9)

        #expect(scene.lines == ["first"] && asked == 4 && store.asked <= 12)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `twenty processes whose requests wait use the rate, and exceed it only by what they had at hand`(seed: UInt64)
        throws
    {
        var random = SeededRandom(seed: seed)
        let fleet = try fleet(20, "100/s")
        var (waiting, sent, atHand): ([[Admission]], [Int], [Int]) = (fleet.map { _ in [] }, [], [])

        for step in 0..<10_000 {
            let now = Int64(step) * 1_000_000
            sent.append(0)
            for (index, scene) in fleet.enumerated() {
                scene.advance(to: now)
                if waiting[index].count < 5, Int.random(in: 0..<20, using: &random) == 0 {
                    waiting[index].append(try #require(scene.enter(names)))
                }
                waiting[index].removeAll { admission in
                    if admission.step == .waiting { return false }
                    scene.attempt(admission)
                    scene.leave(admission)
                    sent[step] += 1
                    return true
                }
            }
            atHand.append(held(fleet))
        }

        #expect(sent.reduce(0, +) >= 950 && excess(sent, atHand, rate: 100) <= 0)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `requests that are not too many rarely wait, and exceed the rate only by what was at hand`(seed: UInt64) throws
    {
        var random = SeededRandom(seed: seed)
        let fleet = try fleet(5, "100/s")
        var (waiting, all, waited): ([[Admission]], Int, Int) = (fleet.map { _ in [] }, 0, 0)
        var (sent, atHand): ([Int], [Int]) = ([], [])

        for step in 0..<10_000 {
            let now = Int64(step) * 1_000_000
            sent.append(0)
            for (index, scene) in fleet.enumerated() {
                scene.advance(to: now)
                if Int.random(in: 0..<70, using: &random) == 0 {
                    let admission = try #require(scene.enter(names))
                    all += 1
                    waited += admission.step == .waiting ? 1 : 0
                    waiting[index].append(admission)
                }
                waiting[index].removeAll { admission in
                    if admission.step == .waiting { return false }
                    scene.attempt(admission)
                    scene.leave(admission)
                    sent[step] += 1
                    return true
                }
            }
            atHand.append(held(fleet))
        }

        #expect(excess(sent, atHand, rate: 100) <= 0 && waited * 5 < all)
    }
}
