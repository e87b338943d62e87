import Plugboard
import Testing

@testable import PlugboardCore

struct RegistryTests {
    @Test func `a number is never used again, whatever was removed`() {
        let registry = Registry<String>()

        let first = registry.add("a")
        registry.remove(first)
        let second = registry.add("b")
        let removed = registry.removeAll()
        let third = registry.add("c")

        #expect(Set([first, second, third]).count == 3)
        #expect(removed == ["b"])
        #expect(registry[first] == nil)
        #expect(registry.remove(second) == nil)
        #expect(registry[third] == "c")
    }

    @Test func `numbers are never 0, which stands for no value`() {
        let registry = Registry<Int>()

        let numbers = (0..<100).map { registry.add($0) }

        #expect(!numbers.contains(0))
        #expect(numbers.map { registry[$0] } == (0..<100).map { $0 })
    }

    @Test func `threads that add at once get numbers of their own`() async {
        let registry = Registry<Int>()

        let numbers = await withTaskGroup(of: [UInt64].self) { group in
            for task in 0..<8 { group.addTask { (0..<500).map { _ in registry.add(task) } } }
            return await group.reduce(into: []) { $0 += $1 }
        }

        #expect(Set(numbers).count == 4000)
    }
}
