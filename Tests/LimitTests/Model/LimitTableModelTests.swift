import TestSupport
import Testing

@testable import PlugboardLimit

/// Random requests against a table, of which the test keeps its own account.
struct LimitTableModelTests {
    private struct Request {
        let names: [KeyName]
        let admission: Admission
        /// When its attempt begins and when it ends; nil while it waits.
        var times: (begin: Int64, end: Int64)?
        var isSent = false
    }

    private static let second: Int64 = 1_000_000_000
    /// What the rules allow: a number in a time, and at once.
    private static let rules: [(limits: String, count: Int, period: Int64, atOnce: Int)] = [
        ("3/s, 2 at once, by field tenant", 3, second, 2), ("20/2s, by origin", 20, 2 * second, .max),
        ("12/s, 5 at once", 12, second, 5),
    ]

    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
    func `no limit of any key is exceeded, no room stays unused while requests wait, and nothing is left`(
        seed: UInt64
    ) throws {
        var random = SeededRandom(seed: seed)
        let scene = try TableScene(Self.rules.map { ("*", $0.limits) })
        var (requests, sent, entered): ([Request], [KeyName: [Int64]], Int) = ([], [:], 0)

        while entered < 500 || !requests.isEmpty, scene.now < 2000 * Self.second {
            scene.advance(to: scene.now + Int64.random(in: 0...Self.second / 30, using: &random))
            if entered < 500, Bool.random(using: &random) {
                let names = [
                    TableScene.name(0, "\(Int.random(in: 0..<4, using: &random))"),
                    TableScene.name(1, "\(Int.random(in: 0..<2, using: &random))"), TableScene.name(2),
                ]
                requests.append(Request(names: names, admission: try #require(scene.enter(names))))
                entered += 1
            }
            if let index = requests.indices.randomElement(using: &random), !requests[index].isSent {
                switch Int.random(in: 0..<20, using: &random) {
                case 0: scene.leave(requests.remove(at: index).admission)
                // It enters again later, as a new one, unless it has begun, when it is cancelled.
                case 1:
                    scene.suspend(requests[index].admission)
                    scene.leave(requests.remove(at: index).admission)
                default: break
                }
            }
            if Int.random(in: 0..<300, using: &random) == 0 {
                scene.forget()
                sent = [:]
            }
            for index in requests.indices {
                if requests[index].times == nil, requests[index].admission.step != .waiting {
                    _ = scene.table.begin(requests[index].admission)
                    let begin = scene.now + Int64.random(in: 0...Self.second / 4, using: &random)
                    let length = Bool.random(using: &random) ? Self.second / 50 : 3 * Self.second
                    requests[index].times = (begin, begin + Int64.random(in: 0...length, using: &random))
                }
                if let times = requests[index].times, times.begin <= scene.now, !requests[index].isSent {
                    scene.attempt(requests[index].admission)
                    requests[index].isSent = true
                    for name in requests[index].names { sent[name, default: []].append(scene.now) }
                }
            }
            for request in requests where request.times.map({ $0.end <= scene.now }) ?? false {
                scene.leave(request.admission)
            }
            requests.removeAll { $0.admission.step == .left }
            // A call that has moved as many requests as it may lets a timer go on at once.
            scene.advance(to: scene.now)

            for key in scene.allKeys {
                let rule = Self.rules[key.name.rule]
                let places = requests.count { $0.admission.step != .waiting && $0.names.contains(key.name) }
                let recent = sent[key.name, default: []].count { $0 > scene.now - rule.period }
                // One record, because an expectation takes longer than all else here.
                guard places <= rule.atOnce, recent <= rule.count, key.running == places else {
                    Issue.record("\(key.name) has \(places) places and \(recent) attempts at \(scene.now).")
                    return
                }
            }
            let waiting = requests.filter { $0.admission.step == .waiting }
            guard waiting.allSatisfy({ $0.admission.place?.opening(at: scene.now, false) != nil }) else {
                Issue.record("A request waits at \(scene.now), where there is room.")
                return
            }
        }

        #expect(requests.isEmpty && scene.table.waiting == 0 && entered == 500)
        #expect(scene.allKeys.allSatisfy { $0.holders == 0 && $0.promised == 0 && $0.running == 0 && $0.waiting == 0 })
    }
}
