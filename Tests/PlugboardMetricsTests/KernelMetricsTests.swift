import CoreMetrics
import Plugboard
import PlugboardMetrics
import Synchronization
import TestSupport
import Testing

struct KernelMetricsTests {
    @Test func `requests and what plugins count reach the factory`() async throws {
        let factory = KeepingFactory()
        let transport = MockTransport { _, number in number == 1 ? .respond(503) : .respond(200, Fields(), ["ok"]) }
        let kernel = try Kernel(
            plugins: [.retry { $0.delay = .milliseconds(1) }], transport: transport, log: .silent)
        let metrics = KernelMetrics(of: kernel, factory: factory)

        _ = try await kernel.send(Request(.get, "http://a.test/")).body.text()
        metrics.report()
        metrics.report()
        await kernel.shutDown()

        let server = "http.request.method=GET,server.address=a.test,server.port=80"
        let version = "network.protocol.version=1.1"
        #expect(
            factory.kept(
                "http.client.request.duration{\(server),http.response.status_code=503,error.type=503,\(version)}") == 1)
        let success = "\(server),http.response.status_code=200,\(version)"
        #expect(factory.kept("http.client.request.duration{\(success)}") == 1)
        #expect(factory.value("http.client.active_requests{\(server)}") == 0)
        let retries = try #require(kernel.counters.first { $0.key.hasPrefix("retry.") && $0.value > 0 })
        #expect(factory.value("\(retries.key){}") == Double(retries.value), "a count is reported once")
    }
}

extension KernelMetricsTests {
    @Test func `the type of an error is its code`() async throws {
        let factory = KeepingFactory()
        let transport = MockTransport { _, _ in .failure(PlugboardError(.transportDNS, "There is no a.test.")) }
        let kernel = try Kernel(plugins: [], transport: transport, log: .silent)
        let metrics = KernelMetrics(of: kernel, factory: factory)

        _ = try? await kernel.send(Request(Method("BREW"), "http://[::1]/"))
        await kernel.shutDown()
        withExtendedLifetime(metrics) {}

        let server = "http.request.method=_OTHER,server.address=::1,server.port=80"
        #expect(factory.kept("http.client.request.duration{\(server),error.type=transport.dns}") == 1)
    }
}

/// A factory that keeps how often each metric was told something, and the sum of it.
private final class KeepingFactory: MetricsFactory {
    private let entries = Mutex<[String: (count: Int, value: Double)]>([:])

    func kept(_ name: String) -> Int { entries.withLock { $0[name]?.count ?? 0 } }
    func value(_ name: String) -> Double? { entries.withLock { $0[name]?.value } }

    private func handler(_ label: String, _ dimensions: [(String, String)]) -> Handler {
        let name = "\(label){\(dimensions.map { "\($0.0)=\($0.1)" }.joined(separator: ","))}"
        return Handler { change in
            self.entries.withLock { entries in
                let old = entries[name] ?? (0, 0)
                entries[name] = (old.count + 1, change(old.value))
            }
        }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { handler(label, dimensions) }
    func makeFloatingPointCounter(label: String, dimensions: [(String, String)]) -> any FloatingPointCounterHandler {
        handler(label, dimensions)
    }
    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler { handler(label, dimensions) }
    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        handler(label, dimensions)
    }
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { handler(label, dimensions) }
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

    private final class Handler: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler,
        TimerHandler
    {
        private let change: @Sendable (@escaping (Double) -> Double) -> Void

        init(_ change: @escaping @Sendable (@escaping (Double) -> Double) -> Void) { self.change = change }

        func increment(by amount: Int64) { change { $0 + Double(amount) } }
        func increment(by amount: Double) { change { $0 + amount } }
        func decrement(by amount: Double) { change { $0 - amount } }
        func set(_ value: Int64) { change { _ in Double(value) } }
        func set(_ value: Double) { change { _ in value } }
        func record(_ value: Int64) { change { $0 + Double(value) } }
        func record(_ value: Double) { change { $0 + value } }
        func recordNanoseconds(_ duration: Int64) { change { $0 + Double(duration) } }
        func reset() { change { _ in 0 } }
    }
}
