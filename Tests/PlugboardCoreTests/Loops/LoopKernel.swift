import Plugboard
import PlugboardEventLoop
import PlugboardTransport
import Synchronization
import TestSupport

@testable import PlugboardCore

/// A kernel with several loops, which knows on which of them code runs.
struct LoopKernel: Sendable {
    let kernel: Kernel
    /// The loops, for plugins that are made before their kernel.
    let loops: Loops

    /// Which loop calls; filled when the kernel is made.
    final class Loops: Sendable {
        private struct Weak { weak var core: KernelCore? }
        private let core = Mutex(Weak())

        func belong(to core: KernelCore) { self.core.withLock { $0.core = core } }

        /// The index of the loop whose thread calls this; -1 on other threads.
        var current: Int { core.withLock { $0.core }?.current?.index ?? -1 }
    }

    init(
        _ count: Int, _ plugins: [ScriptedPlugin] = [], _ transport: any Transport = MockTransport(),
        loops: Loops = Loops(), clock: ManualClock? = nil, _ configure: (inout Configuration) -> Void = { _ in }
    ) throws {
        kernel = try makeKernel(plugins, transport, clock: clock) {
            $0.kernel.loops = LoopCount(count)
            configure(&$0)
        }
        loops.belong(to: kernel.core)
        self.loops = loops
    }

    /// Returns when the kernel refuses requests, because it is shutting down.
    func refusing() async {
        while true {
            let handle = kernel.begin(Request(.get, anywhere))
            handle.cancel()
            do { _ = try await handle.response } catch { if error.code == .shutDown { return } }
        }
    }

    /// How many exchanges are on each loop.
    var counts: [Int] { kernel.core.loops.map(\.exchangeCount) }

    /// Sends a request from a task on the loop of this index, and reads its body.
    func send(_ request: Request, on loop: Int) async throws -> (status: Int, text: String) {
        try await Task(executorPreference: kernel.executors[loop]) {
            let response = try await kernel.send(request)
            return (response.status, try await response.body.text())
        }.value
    }
}
