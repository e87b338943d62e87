import Plugboard
import PlugboardServiceLifecycle
import ServiceLifecycleTestKit
import TestSupport
import Testing

struct KernelServiceTests {
    @Test func `a graceful shutdown lets what is under way end, and refuses what comes later`() async throws {
        let transport = MockTransport { _, _ in .silence }
        let kernel = try Kernel(transport: transport, log: .silent)
        let handle = kernel.begin(Request(.get, "http://a.test/"))
        try await transport.began.opened(for: 1)

        try await testGracefulShutdown { trigger in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await kernel.service(within: .milliseconds(50)).run() }
                trigger.triggerGracefulShutdown()
                try await group.waitForAll()
            }
        }

        await #expect(throws: PlugboardError.self) { try await handle.response }
        let error = await #expect(throws: PlugboardError.self) {
            try await kernel.send(Request(.get, "http://a.test/"))
        }
        #expect(error?.code == .shutDown && transport.cancelled.admitted == 1)
    }

    @Test func `a cancelled service shuts the kernel down at once`() async throws {
        let transport = MockTransport { _, _ in .silence }
        let kernel = try Kernel(transport: transport, log: .silent)
        let handle = kernel.begin(Request(.get, "http://a.test/"))
        try await transport.began.opened(for: 1)

        let running = Task { try await kernel.service(within: .seconds(3600)).run() }
        running.cancel()
        try await running.value

        let error = await #expect(throws: PlugboardError.self) { try await handle.response }
        #expect(error?.code == .shutDown)
    }
}
