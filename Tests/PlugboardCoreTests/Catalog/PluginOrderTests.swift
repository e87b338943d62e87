import Plugboard
import PlugboardKit
import TestSupport
import Testing

@testable import PlugboardCore

@Suite struct PluginOrderTests {
    typealias Item = PluginOrder.Item

    /// Items like `b 20 <a >c`: its id, its priority, `<` before and `>` after.
    private func items(_ text: String) -> [Item] {
        text.split(separator: ",").map { item in
            let words = item.split(separator: " ").map { String($0) }
            return Item(
                id: words[0], priority: Int(words[1]) ?? 0, before: names(in: words, after: "<"),
                after: names(in: words, after: ">"))
        }
    }

    private func names(in words: [String], after sign: String) -> [String] {
        words.filter { $0.hasPrefix(sign) }.map { String($0.dropFirst()) }
    }

    private func show(_ order: PluginOrder) -> String {
        order.placed.map { "\($0.id) (\($0.reason))" }.joined(separator: ", ")
    }

    @Test(arguments: [
        ("", ""),
        ("b 20, a 10", "a (default priority), b (default priority)"),
        ("b 10, a 10", "a (default priority), b (default priority)"),
        ("a 10 >b, b 20", "b (before a), a (after b)"),
        ("a 10, b 20 <a", "b (before a), a (after b)"),
        ("a 10 <b, b 20", "a (default priority), b (default priority)"),
        // Plugins without a predecessor are placed while another one waits.
        ("a 10 >d, b 20, c 30, d 40", "b (default priority), c (default priority), d (before a), a (after d)"),
        // A chain: c waits for b, which waits for a.
        ("c 1 >b, b 2 >a, a 3", "a (before b), b (after a), c (after b)"),
        ("x 10 >y, y 5 >z, z 100", "z (before y), y (after z), x (after y)"),
        ("a 10 >b? >nobody?, b 20", "b (before a), a (after b)"),
        ("a 10 >nobody, b 20 <nowhere", "a (default priority), b (default priority)"),
    ])
    func `before and after beat priorities, which beat ids`(given: String, expected: String) throws {
        #expect(show(try PluginOrder(items(given))) == expected)
    }

    @Test func `a configured priority is given as the reason for the position`() throws {
        let order = try PluginOrder([Item(id: "a", priority: 5, isConfigured: true)])

        #expect(show(order) == "a (configured priority)")
    }

    @Test func `names that no plugin has are reported`() throws {
        let order = try PluginOrder(items("b 10 >x <a <w, a 20"))

        #expect(order.absent.map(\.id) == ["b"])
        #expect(order.absent.map(\.names) == [["w", "x"]])
    }

    @Test(arguments: [
        ("a 1 <a", "a → a"), ("b 1 >a, a 2 >b", "a → b → a"), ("c 1 <b, b 1 <a, a 1 <c", "a → c → b → a"),
        ("z 1 <a, a 1 <b, b 1 <a", "a → b → a"), ("a 1 >c, b 1 <c, c 1 <b, d 0", "b → c → b"),
    ])
    func `a cycle is an error that prints it`(given: String, cycle: String) {
        let error = #expect(throws: PlugboardError.self) { try PluginOrder(items(given)) }

        #expect(error?.code == .pluginOrder)
        #expect(error?.reason.contains(": \(cycle), where") == true, "\(error?.reason ?? "")")
    }

    @Test(arguments: 0..<200) func `the order given makes no difference, and the rules hold`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let ids = (0..<Int.random(in: 1...9, using: &random)).map { "p\($0)" }
        let items = ids.map { id in
            let others = ids.filter { _ in Int.random(in: 0..<8, using: &random) == 0 }
            let isBefore = Bool.random(using: &random)
            return Item(
                id: id, priority: Int.random(in: 0...3, using: &random), before: isBefore ? others : [],
                after: isBefore ? [] : others)
        }

        let first = Result { try PluginOrder(items) }
        let second = Result { try PluginOrder(items.shuffled(using: &random)) }

        switch (first, second) {
        case (.success(let first), .success(let second)):
            #expect(show(first) == show(second))
            let order = first.placed.map(\.id)
            #expect(order.sorted() == ids.sorted())
            for item in items {
                for inner in item.before { #expect(order.firstIndex(of: item.id)! < order.firstIndex(of: inner)!) }
                for outer in item.after { #expect(order.firstIndex(of: outer)! < order.firstIndex(of: item.id)!) }
            }
        case (.failure(let first), .failure(let second)):
            #expect(first as? PlugboardError == second as? PlugboardError)
        default: Issue.record("one order has a cycle and the other has none")
        }
    }
}
