import TestSupport
import Testing

@Suite struct GateTests {
    @Test func `a wait returns when enough was admitted`() async throws {
        let gate = Gate()
        async let second: Void = gate.opened(for: 2)

        gate.admit()
        gate.admit()
        try await second

        #expect(gate.admitted == 2)
        try gate.wait(for: 2)
    }

    @Test func `a closed gate times out`() async throws {
        let gate = Gate()
        gate.admit()

        await #expect(throws: GateError.self) { try await gate.opened(for: 2, timeout: .milliseconds(20)) }
        #expect(throws: GateError.self) { try gate.wait(for: 2, timeout: .milliseconds(20)) }
    }

    @Test func `a cancelled task leaves the gate`() async throws {
        let gate = Gate()
        let task = Task { try await gate.opened() }

        task.cancel()

        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `an open gate admits everything`() async throws {
        let gate = Gate()

        gate.open()
        gate.admit(3)

        try await gate.opened(for: Int.max)
        #expect(gate.admitted == Int.max)
    }
}
