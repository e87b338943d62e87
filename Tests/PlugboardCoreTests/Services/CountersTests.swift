import Testing

@testable import PlugboardCore

struct CountersTests {
    @Test func `a name has one counter, however many there are`() {
        let counters = Counters()

        let numbers = (0..<1000).map { counters.number(of: "counter \($0)") }
        for (index, number) in numbers.enumerated() { counters.add(Int64(index), to: number) }

        #expect(Set(numbers).count == 1000)
        #expect((0..<1000).map { counters.number(of: "counter \($0)") } == numbers)
        #expect((0..<1000).allSatisfy { counters.all["counter \($0)"] == Int64($0) })
    }

    @Test func `a number without a counter is ignored, also when it gets one later`() {
        let counters = Counters()
        let first = counters.number(of: "first")

        for number in [0, first + 1, 64, 65, 1 << 40, .max] { counters.add(7, to: number) }
        for index in 0..<100 { _ = counters.number(of: "later \(index)") }

        #expect(counters.all.values.allSatisfy { $0 == 0 } && counters.all.count == 101)
    }

    @Test func `what several threads add at once is not lost, while counters are made`() async {
        let counters = Counters()
        let shared = counters.number(of: "shared")

        await withTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for index in 0..<2000 {
                        counters.add(1, to: shared)
                        counters.add(1, to: counters.number(of: "\(task) \(index % 100)"))
                    }
                }
            }
        }

        let all = counters.all
        #expect(all["shared"] == 8000)
        #expect(all.count == 401 && all.filter { $0.key != "shared" }.values.allSatisfy { $0 == 20 })
    }
}
