import PlugboardKit
import TestSupport
import Testing

@testable import PlugboardLimit

/// The table without a kernel.
struct LimitTableTests {
    private let name = { (rule: Int) in TableScene.name(rule) }

    // MARK: Rates

    @Test func `requests of a key go on in order, and while others never end`() throws {
        let scene = try TableScene([("*", "1/s")])
        let admissions = (1...4).map { scene.enter([name(0)], as: "\($0)") }

        var seen: [[String]] = []
        for second in 0...3 {
            scene.advance(toSeconds: Double(second) * 1.05)
            scene.attempt(admissions[second])
            seen.append(scene.lines)
        }

        #expect(seen == [["1"], ["1", "2"], ["1", "2", "3"], ["1", "2", "3", "4"]])
    }

    @Test func `a request counts when its attempt begins, not when it gets room`() throws {
        let scene = try TableScene([("*", "1/s")])
        let first = scene.enter([name(0)], as: "first")
        scene.enter([name(0)], as: "second")

        scene.advance(toSeconds: 5)
        let before = scene.lines
        scene.attempt(first)
        scene.advance(toSeconds: 5.9)
        let meanwhile = scene.lines
        scene.advance(toSeconds: 6.1)

        #expect(before == ["first"] && meanwhile == ["first"] && scene.lines == ["first", "second"])
    }

    @Test func `a request without an attempt gives its room back, one with an attempt does not`() throws {
        let scene = try TableScene([("*", "2/s")])
        let served = scene.enter([name(0)], as: "served")
        let sent = scene.enter([name(0)], as: "sent")
        scene.attempt(sent)

        scene.leave(served)
        scene.leave(sent)
        scene.enter([name(0)], as: "third")
        scene.enter([name(0)], as: "fourth")

        #expect(scene.lines == ["served", "sent", "third"])
    }

    @Test func `further attempts count, and make the next request wait`() throws {
        let scene = try TableScene([("*", "2/s")])
        let first = scene.enter([name(0)], as: "first")

        for _ in 1...3 { scene.attempt(first, [name(0)]) }
        scene.enter([name(0)], as: "late")

        #expect(scene.lines == ["first"])
    }

    @Test func `a request that cannot have room in time is refused, those before it counted`() throws {
        let scene = try TableScene([("*", "1/s")])
        scene.attempt(scene.enter([name(0)]))
        for _ in 1...3 { scene.enter([name(0)]) }

        #expect(scene.enter([name(0)], within: 3_500_000_000) == nil)
        #expect(scene.enter([name(0)], within: 4_500_000_000) != nil && scene.table.waiting == 4)
    }

    // MARK: At once

    @Test func `a place at once is free for the next one when its request ends`() throws {
        let scene = try TableScene([("*", "1 at once")])
        let first = scene.enter([name(0)], as: "first")
        let second = try #require(scene.enter([name(0)], as: "second"))

        scene.leave(first)

        #expect(scene.lines == ["first", "second"])
        #expect(scene.table.begin(second) == .granted && scene.table.begin(second) == .begun)
    }

    @Test func `a request that is sent elsewhere gives the promise back, and has a place there until its end`() throws {
        let scene = try TableScene([("https://a.test", "1/h"), ("https://b.test", "1 at once, 2/h")])
        let moved = scene.enter([name(0)], as: "moved")
        scene.attempt(moved, [name(1)])

        scene.enter([name(0)], as: "a")
        let next = scene.enter([name(1)], as: "b")
        let before = scene.lines
        scene.leave(moved)
        scene.attempt(next)
        scene.leave(next)
        scene.enter([name(1)], as: "late")

        #expect(before == ["moved", "a"] && scene.lines == ["moved", "a", "b"])
    }

    @Test func `a sub-request waits for rates, not for a place at once nor for those that do`() throws {
        let scene = try TableScene([("*", "1 at once, 2/s")])
        scene.attempt(scene.enter([name(0)], as: "outer"))
        scene.enter([name(0)], as: "waiting")

        scene.attempt(scene.enter([name(0)], as: "first", isSubrequest: true))
        scene.enter([name(0)], as: "second", isSubrequest: true)
        let before = scene.lines
        scene.advance(toSeconds: 1.1)

        #expect(before == ["outer", "first"] && scene.lines == ["outer", "first", "second"])
    }

    // MARK: Several keys

    @Test func `a request that waits holds nothing of its other keys`() throws {
        let scene = try TableScene([("*", "1 at once, by field tenant"), ("*", "2 at once")])
        let names = { (tenant: String) in [TableScene.name(0, tenant), TableScene.name(1)] }
        let running = scene.enter(names("a"), as: "a1")
        for number in 2...5 { scene.enter(names("a"), as: "a\(number)") }

        let other = scene.enter(names("b"), as: "b1")
        scene.leave(other)
        scene.enter(names("c"), as: "c1")
        scene.leave(running)

        #expect(scene.lines == ["a1", "b1", "c1", "a2"])
    }

    @Test func `keys of a common limit take turns, whatever one of them has in its queue`() throws {
        let scene = try TableScene([("*", "1000000/s, by field tenant"), ("*", "1 at once")])
        let order = ["a0", "a1", "a2", "a3", "b1", "b2"]
        var admissions: [String: Admission] = [:]
        for line in order {
            admissions[line] = scene.enter([TableScene.name(0, String(line.prefix(1))), TableScene.name(1)], as: line)
        }

        for index in order.indices { scene.leave(scene.lines[index...].first.flatMap { admissions[$0] }) }

        #expect(scene.lines == ["a0", "a1", "b1", "a2", "b2", "a3"])
    }

    @Test func `a tenant whose first request is cancelled keeps its turn`() throws {
        let scene = try TableScene([("*", "1000000/s, by field tenant"), ("*", "1 at once")])
        var admissions: [String: Admission] = [:]
        for line in ["x", "a1", "a2", "b1", "b2"] {
            admissions[line] = scene.enter([TableScene.name(0, String(line.prefix(1))), TableScene.name(1)], as: line)
        }

        scene.leave(admissions["a1"])
        scene.leave(admissions["x"])
        scene.leave(admissions["a2"])

        #expect(scene.lines == ["x", "a2", "b1"])
    }

    @Test func `one that moves to another key goes before later ones of its tenant`() throws {
        let scene = try TableScene([("*", "1/s, by field tenant"), ("*", "1 at once")])
        let names = [TableScene.name(0, "a"), TableScene.name(1)]
        let first = scene.enter(names, as: "first")
        scene.attempt(first)
        scene.leave(first)
        let second = scene.enter(names, as: "second")
        let blocker = scene.enter([name(1)], as: "blocker")
        let third = scene.enter(names, as: "third")

        scene.advance(toSeconds: 1.1)
        scene.leave(blocker)
        scene.attempt(second)
        scene.leave(second)
        let before = scene.lines
        scene.advance(toSeconds: 2.2)

        #expect(before == ["first", "blocker", "second"] && scene.lines == ["first", "blocker", "second", "third"])
        #expect(third?.step == .granted)
    }

    @Test func `thousands that leave do not stay in the queue`() throws {
        let scene = try TableScene([("*", "1 at once")])
        let running = scene.enter([name(0)], as: "first")
        for admission in (0..<5000).map({ _ in scene.enter([name(0)], as: "gone") }) { scene.leave(admission) }
        scene.enter([name(0)], as: "last")

        scene.leave(running)

        #expect(scene.lines == ["first", "last"])
    }

    // MARK: Suspended

    @Test func `a suspended request leaves its queue, its grant and its promise to the others`() throws {
        let scene = try TableScene([("*", "1 at once, 1/s")])
        let first = scene.enter([name(0)], as: "first")
        let second = scene.enter([name(0)], as: "second")
        let third = scene.enter([name(0)], as: "third")
        scene.enter([name(0)], as: "fourth")

        scene.suspend(third)
        scene.leave(first)
        scene.suspend(second)

        // The waits of the suspended ones end, so that they enter again when they are resumed.
        #expect(scene.lines == ["first", "third", "second", "fourth"])
        #expect(second?.step == .left && third?.step == .left && scene.allKeys.map(\.running) == [1])
    }

    @Test func `a suspended request that has begun does not keep its room of a rate without end`() throws {
        let scene = try TableScene([("*", "1/s")])
        let first = scene.enter([name(0)], as: "first")
        scene.enter([name(0)], as: "second")

        scene.suspend(first)

        #expect(scene.lines == ["first", "second"])
    }

    @Test func `an attempt that begins after its request was suspended counts once`() throws {
        let scene = try TableScene([("*", "3/s")])
        let first = scene.enter([name(0)], as: "first")

        scene.suspend(first)
        scene.attempt(first)

        #expect(scene.table.used(at: scene.now).map { $0.left.map(\.count) } == [[2]])
    }

    // MARK: Timers

    @Test func `a timer that another one has replaced does nothing`() throws {
        let scene = try TableScene([("https://a.test", "1/s")])
        _ = scene.learn(.pause(.seconds(9)), [name(0)])
        let key = try #require(scene.allKeys.first)

        let effects = scene.table.timerFired(key, for: 5, at: 5)

        #expect(effects.timers.isEmpty && key.timer == 9_000_000_000)
    }
}
