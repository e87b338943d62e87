import PlugboardEndpoints
import PlugboardTesting
import Synchronization
import TestSupport

/// A client whose requests a test lets end one by one.
///
/// A path that was held responds when its gate opens; `fail…` responds with 500; all others with their path.
final class Responder: Sendable {
    private struct State {
        var gates: [String: Gate] = [:]
        var running = 0
        var most = 0
        var began: [String] = []
    }

    private let state = Mutex(State())
    let client: Client

    init(_ edit: (inout ClientSettings) -> Void = { _ in }) throws {
        let script = Mutex<(@Sendable (ScriptedTransport.Sent) async -> ScriptedTransport.Outcome)?>(nil)
        let slot = Slot(script)
        var settings = ClientSettings(base: "http://a.test/")
        edit(&settings)
        let transport = ScriptedTransport { sent, _ in
            guard let respond = slot.script.withLock({ $0 }) else { return .silence }
            return await respond(sent)
        }
        client = Client(kernel: try Kernel(transport: transport), settings: settings)
        slot.script.withLock { script in
            script = { [weak self] sent in await self?.respond(to: sent) ?? .silence }
        }
    }

    /// What the transport asks, set when the responder exists.
    private final class Slot: Sendable {
        let script: Mutex<(@Sendable (ScriptedTransport.Sent) async -> ScriptedTransport.Outcome)?>

        init(_ script: consuming Mutex<(@Sendable (ScriptedTransport.Sent) async -> ScriptedTransport.Outcome)?>) {
            self.script = script
        }
    }

    /// Lets the requests of this path wait until the gate opens.
    @discardableResult
    func hold(_ path: String) -> Gate {
        state.withLock { state in
            let gate = Gate()
            state.gates[path] = gate
            return gate
        }
    }

    /// The most requests that were under way at once.
    var most: Int { state.withLock { $0.most } }

    /// The requests that were under way, in the order in which they began.
    var began: [String] { state.withLock { $0.began } }

    /// Returns when so many requests have begun.
    func hasBegun(_ count: Int) async { while state.withLock({ $0.began.count }) < count { await Task.yield() } }

    private func respond(to sent: ScriptedTransport.Sent) async -> ScriptedTransport.Outcome {
        let path = String(sent.url.split(separator: "/").last ?? "")
        let gate = state.withLock { state in
            state.began.append(path)
            state.running += 1
            state.most = max(state.most, state.running)
            return state.gates[path]
        }
        // Cancelled attempts throw here.
        try? await gate?.opened()
        state.withLock { $0.running -= 1 }
        return path.hasPrefix("fail") ? .respond(500) : .respond(200, body: .text(path))
    }
}

/// An endpoint whose value is the last part of its path.
struct Item: Endpoint {
    typealias Response = String
    var path: String
    var base = ""
    var identifier = ""
    var group = ""
    var tag = ""
    var category = ""
    var priority = CallPriority.normal
    var debug = DebugBehavior.client

    init(_ path: String) { self.path = path }
}

/// An endpoint of another type of value.
struct Length: Endpoint {
    typealias Response = Int
    var path: String

    func decode(_ response: ReceivedResponse, in client: Client) throws(PlugboardError) -> Int { response.bytes.count }
}

/// An object that closures hold, to see when they are released.
final class Held: Sendable {
    func use() {}
}
