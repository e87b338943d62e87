import PlugboardEndpoints
import PlugboardMessages
import PlugboardTesting
import TestSupport
import Testing

/// What a call tells its accessories, and how long it holds them.
@Suite struct AccessoryTests {
    private final class Accessory: CallDelegate {
        let order: Record
        let name: String
        let released: Gate
        init(_ order: Record, _ released: Gate, _ name: String = "") {
            (self.order, self.released, self.name) = (order, released, name)
        }
        deinit { released.open() }
        func callDidStart(_ call: any AnyCall) { order.add("\(name)started") }
        func callDidSuspend(_ call: any AnyCall) { order.add("\(name)suspended") }
        func callDidResume(_ call: any AnyCall) { order.add("\(name)resumed") }
        func call(_ call: any AnyCall, didSucceed value: any Sendable) { order.add("\(name)succeeded") }
        func callDidFinish(_ call: any AnyCall) { order.add("\(name)finished") }
    }

    private func client(after gate: Gate) throws -> Client {
        Client(
            kernel: try Kernel(
                transport: ScriptedTransport { _, _ in
                    try? await gate.opened()
                    return .respond(200, body: .text("hello"))
                }), settings: ClientSettings(base: "https://api.example.com/"))
    }

    @Test func `an accessory is told of all that happens to a call, and held until its end`() async throws {
        let (order, gate, released) = (Record(), Gate(), Gate())
        let client = try client(after: gate)

        let call = client.call(SimpleEndpoint("greeting", as: String.self), isStarted: false)
            .accessory(Accessory(order, released))
        call.start()
        call.suspend()
        call.resume()
        gate.open()
        let value = try await call.value
        try await released.opened()

        #expect(value == "hello")
        #expect(order.lines == ["started", "suspended", "resumed", "succeeded", "finished"])
    }

    @Test func `a call has several accessories, which are told of its start when they are attached`() async throws {
        let (order, gate) = (Record(), Gate())
        let client = try client(after: gate)

        let call = client.call(SimpleEndpoint("greeting", as: String.self))
            .accessory(Accessory(order, Gate(), "1 ")).accessory(Accessory(order, Gate(), "2 "))
        call.cancel()
        gate.open()
        await call.ended()

        #expect(order.lines == ["1 started", "2 started", "1 finished", "2 finished"])
    }
}
