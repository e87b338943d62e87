import PlugboardKit
import Testing

@testable import PlugboardLimit

/// What servers ask of the table, and the number of its keys, without a kernel.
struct LimitTableServerTests {
    private let name = { (rule: Int) in TableScene.name(rule) }

    @Test func `a rule that only learns has a key during a pause only`() throws {
        let scene = try TableScene([("*", "by origin")])
        scene.enter([TableScene.name(0, "a")], as: "free")
        let before = scene.table.isEmpty

        let paused = scene.learn(.pause(.seconds(1)), [TableScene.name(0, "a")])
        let held = scene.enter([TableScene.name(0, "a")], as: "held")
        let meanwhile = scene.lines
        scene.advance(toSeconds: 1)
        scene.leave(held)

        #expect(before && paused == [0] && meanwhile == ["free"])
        #expect(scene.lines == ["free", "held"] && scene.table.isEmpty)
    }

    @Test func `a pause that ends without requests leaves no key`() throws {
        let scene = try TableScene([("*", "by origin")])
        _ = scene.learn(.pause(.seconds(1)), [TableScene.name(0, "a")])

        scene.advance(toSeconds: 1)

        #expect(scene.table.isEmpty)
    }

    @Test func `a shorter pause does not replace a longer one, and forget ends both`() throws {
        let scene = try TableScene([("https://a.test", "9 at once")])
        _ = scene.learn(.pause(.seconds(9)), [name(0)])

        let shorter = scene.learn(.pause(.seconds(1)), [name(0)])
        scene.advance(toSeconds: 2)
        scene.enter([name(0)], as: "a")
        let before = scene.lines
        scene.forget()

        #expect(shorter == [] && before == [] && scene.lines == ["a"])
    }

    @Test func `what a server still takes is a limit until its time, which only falls`() throws {
        let scene = try TableScene([("*", "by origin")])
        let names = [TableScene.name(0, "a")]
        _ = scene.learn(.quota(left: 2, .seconds(30)), names)
        let admissions = (1...4).map { scene.enter(names, as: "\($0)") }
        for admission in admissions { scene.attempt(admission) }

        _ = scene.learn(.quota(left: 1, .seconds(29)), names)
        scene.leave(admissions[0])
        let before = scene.lines
        scene.advance(toSeconds: 30)

        #expect(before == ["1", "2"] && scene.lines == ["1", "2", "3", "4"])
    }

    // MARK: Probes

    @Test func `at the end of a pause one request goes first, and the others follow its response`() throws {
        let scene = try TableScene([("*", "by origin")])
        let names = [TableScene.name(0, "a")]
        _ = scene.learn(.pause(.seconds(9)), names)
        let admissions = (1...3).map { scene.enter(names, as: "\($0)") }

        scene.advance(toSeconds: 9)
        scene.attempt(admissions[0])
        let (before, probes) = (scene.lines, scene.table.probes)
        _ = scene.learn(nil, names, of: admissions[0])

        #expect(before == ["1"] && probes == 1)
        #expect(scene.lines == ["1", "2", "3"] && scene.table.probes == 0)
    }

    @Test func `the others do not go on if the response to the first asks for another pause`() throws {
        let scene = try TableScene([("*", "by origin")])
        let names = [TableScene.name(0, "a")]
        _ = scene.learn(.pause(.seconds(9)), names)
        let admissions = (1...3).map { scene.enter(names, as: "\($0)") }
        scene.advance(toSeconds: 9)
        scene.attempt(admissions[0])

        let rules = scene.learn(.pause(.seconds(5)), names, of: admissions[0])
        scene.leave(admissions[0])
        let before = scene.lines
        scene.advance(toSeconds: 14)

        #expect(rules == [0] && before == ["1"] && scene.lines == ["1", "2"])
    }

    @Test func `if the first is never sent another goes ahead, and if it gets no response all go on`() throws {
        let scene = try TableScene([("*", "by origin")])
        let names = [TableScene.name(0, "a")]
        _ = scene.learn(.pause(.seconds(9)), names)
        let admissions = (1...4).map { scene.enter(names, as: "\($0)") }
        scene.advance(toSeconds: 9)

        scene.leave(admissions[0])
        let unsent = scene.lines
        scene.attempt(admissions[1])
        scene.leave(admissions[1])

        #expect(unsent == ["1", "2"] && scene.lines == ["1", "2", "3", "4"] && scene.table.probes == 0)
    }

    @Test func `one that goes ahead instead of another that takes long is waited for once`() throws {
        let scene = try TableScene([("*", "by origin")])
        let names = [TableScene.name(0, "a")]
        _ = scene.learn(.pause(.seconds(9)), names)
        let admissions = (1...3).map { scene.enter(names, as: "\($0)") }
        scene.advance(toSeconds: 9)
        scene.attempt(admissions[0])
        _ = scene.learn(.pause(.seconds(5)), names)
        scene.advance(toSeconds: 14)
        scene.attempt(admissions[1])

        for admission in admissions.prefix(2) { _ = scene.learn(nil, names, of: admission) }

        #expect(scene.lines == ["1", "2", "3"] && scene.table.probes == 0)
    }

    @Test func `a response that takes long holds the others back for two seconds`() throws {
        let scene = try TableScene([("*", "by origin")])
        let names = [TableScene.name(0, "a")]
        _ = scene.learn(.pause(.seconds(9)), names)
        let admissions = (1...2).map { scene.enter(names, as: "\($0)") }
        scene.advance(toSeconds: 9)
        scene.attempt(admissions[0])

        scene.advance(toSeconds: 10.9)
        let before = scene.lines
        scene.advance(toSeconds: 11)

        #expect(before == ["1"] && scene.lines == ["1", "2"])
    }

    // MARK: Keys

    @Test func `beyond the most keys values share one, and unused keys are removed`() throws {
        let scene = try TableScene([("*", "1 at once, by field tenant")], keys: 2)
        let admissions = ["a", "b", "c", "d"].map { scene.enter([TableScene.name(0, $0)], as: $0) }
        #expect(scene.lines == ["a", "b", "c"] && scene.allKeys.count == 3)

        for admission in admissions { scene.leave(admission) }
        for number in 0..<1000 {
            scene.advance(toSeconds: Double(number) * 2)
            scene.leave(scene.enter([TableScene.name(0, "e\(number)")]))
        }

        #expect(scene.allKeys.count <= 3)
    }

    @Test func `a value stays with the shared key while that is used, also where there is room for its own`() throws {
        let scene = try TableScene([("*", "1 at once, by field tenant")], keys: 1)
        let first = scene.enter([TableScene.name(0, "a")], as: "a")
        scene.enter([TableScene.name(0, "b")], as: "b")
        scene.leave(first)
        scene.advance(toSeconds: 2)

        scene.enter([TableScene.name(0, "c")], as: "c")

        #expect(scene.lines == ["a", "b"])
    }

    @Test func `a rule that only learns holds nothing back beyond its keys`() throws {
        let scene = try TableScene([("*", "by origin")], keys: 2)
        let names = ["a", "b", "c"].map { [TableScene.name(0, $0)] }

        let paused = names.map { scene.learn(.pause(.seconds(1)), $0) }
        for (name, line) in zip(names, ["a", "b", "c"]) { scene.enter(name, as: line) }
        let before = scene.lines
        scene.advance(toSeconds: 1)

        #expect(paused == [[0], [0], []] && before == ["c"] && scene.lines == ["c", "a", "b"])
        #expect(scene.learn(.pause(.seconds(1)), [TableScene.name(0, "d")]) == [])
    }

    @Test func `the keys of one rule leave room for those of another, and the shared key is never paused`() throws {
        let scene = try TableScene([("*", "9 at once, by field tenant"), ("*", "9 at once, by origin")], keys: 2)
        for tenant in ["a", "b", "c"] { scene.enter([TableScene.name(0, tenant)]) }
        let origins = ["x", "y", "z"].map { TableScene.name(1, $0) }
        for origin in origins { scene.enter([origin]) }

        let paused = origins.map { scene.learn(.pause(.seconds(1)), [$0]) }

        #expect(paused == [[1], [1], []])
    }
}
