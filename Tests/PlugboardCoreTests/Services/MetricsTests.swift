import Plugboard
import PlugboardKit
import Synchronization
import TestSupport
import Testing

@testable import PlugboardCore

struct MetricsTests {
    @Test func `a name has one counter, however many there are`() {
        let metrics = Metrics()

        let numbers = (0..<1000).map { metrics.number(of: "counter \($0)") }
        for (index, number) in numbers.enumerated() { metrics.add(Int64(index), to: number) }

        let counters = metrics.counters
        #expect(Set(numbers).count == 1000)
        #expect((0..<1000).map { metrics.number(of: "counter \($0)") } == numbers)
        #expect((0..<1000).allSatisfy { counters["counter \($0)"] == Int64($0) })
    }

    @Test func `a number without a metric is ignored, also when it gets one later`() {
        let metrics = Metrics()
        let first = metrics.number(of: "first")

        for number in [0, first + 1, 64, 65, 1 << 40, .max] {
            metrics.add(7, to: number)
            metrics.set(number, to: 7)
            metrics.observe(7, in: number)
        }
        for index in 0..<100 { _ = metrics.number(of: "later \(index)") }

        #expect(metrics.counters.values.allSatisfy { $0 == 0 } && metrics.counters.count == 101)
    }

    @Test func `what several threads add at once is not lost, while metrics are made`() async {
        let metrics = Metrics()
        let shared = metrics.number(of: "shared")
        let times = metrics.number(of: "times", .histogram, bounds: [10, 20])

        await withTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for index in 0..<2000 {
                        metrics.add(1, to: shared)
                        metrics.add(1, to: metrics.number(of: "\(task) \(index % 100)"))
                        metrics.observe(Int64(index % 30), in: times)
                    }
                }
            }
        }

        let all = metrics.counters
        #expect(all["shared"] == 8000)
        #expect(all.count == 401 && all.filter { $0.key != "shared" }.values.allSatisfy { $0 == 20 })
        #expect(metrics.all.first { $0.name == "times" }?.counts.reduce(0, +) == 8000)
    }

    // MARK: As plugins use them

    private func host(_ plugin: ScriptedPlugin = ScriptedPlugin("meter")) throws -> (Kernel, PluginHost) {
        let kernel = try makeKernel([plugin])
        return (kernel, try #require(plugin.host))
    }

    @Test func `a counter with labels, a gauge and a histogram are read by any plugin and by the program`() throws {
        let (kernel, host) = try host()

        host.counter("sent", ["status": "2xx", "method": "GET"]).add()
        host.counter("sent", ["method": "GET", "status": "2xx"]).add(2)
        host.counter("sent", ["status": "5xx", "method": "GET"]).add()
        host.counter("sent").add(9)
        let open = host.gauge("open")
        open.set(7)
        open.add(-2)
        let times = host.histogram("times", bounds: [10, 100])
        for value: Int64 in [-5, 10, 11, 100, 101, 5000] { times.observe(value) }

        let metrics = host.metrics
        #expect(metrics == kernel.metrics)
        #expect(
            metrics.map { "\($0.name) \($0.labels.map { "\($0.name)=\($0.value)" }) \($0.kind) \($0.value)" } == [
                "meter.open [] gauge 5", "meter.sent [] counter 9",
                #"meter.sent ["method=GET", "status=2xx"] counter 3"#,
                #"meter.sent ["method=GET", "status=5xx"] counter 1"#, "meter.times [] histogram 5217",
            ])
        #expect(metrics.last?.bounds == [10, 100] && metrics.last?.counts == [2, 2, 2])
        #expect(kernel.counters == ["meter.sent": 9])
    }

    @Test func `a name keeps its kind and its bounds, and bounds rise`() throws {
        let (kernel, host) = try host()
        host.counter("a").add()
        host.histogram("h", bounds: [1, 2]).observe(1)

        host.gauge("a").set(7)
        host.histogram("h", bounds: [1, 3]).observe(1)
        for bounds: [Int64] in [[], [1, 1], [2, 1], Array(0...64)] { host.histogram("x", bounds: bounds).observe(1) }
        host.counter("").add()
        host.counter("a\n").add()
        host.counter("b", ["": "x"]).add()
        host.counter("b", ["x": "\u{1B}"]).add()

        #expect(kernel.metrics.map { "\($0.name) \($0.value)" } == ["meter.a 1", "meter.h 1"])
    }

    @Test func `labels without end are not kept`() throws {
        let (kernel, host) = try host()

        for number in 0..<3000 { host.counter("users", ["id": "\(number)"]).add() }

        #expect(kernel.metrics.count == 2000 && kernel.metrics.allSatisfy { $0.value == 1 })
        host.counter("users", ["id": "1"]).add()
        #expect(kernel.metrics.contains { $0.value == 2 })
    }
}
