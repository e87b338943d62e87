import Plugboard
import PlugboardEventLoop
import PlugboardKit
import PlugboardTransport
import TestSupport

@testable import PlugboardCurl

/// A plugin that writes down each call, and lets everything pass.
func recorder(_ id: String, priority: Int, _ record: Record) -> ScriptedPlugin {
    let plugin = ScriptedPlugin(id, priority: priority)
    plugin.onRequest = { _ in
        record.add("\(id) request")
        return .next
    }
    plugin.onResponse = { exchange in
        record.add("\(id) response \(exchange.response?.status ?? 0)")
        return .next
    }
    plugin.onFailure = { exchange in
        record.add("\(id) failure \(exchange.failure?.code.name ?? "?")")
        return .next
    }
    plugin.onClose = { _, outcome in record.add("\(id) close \(outcome)") }
    return plugin
}

/// The error that a request ends with; fails the test by throwing if there is none.
func failure(of kernel: Kernel, _ request: Request) async throws -> PlugboardError {
    do {
        _ = try await kernel.send(request)
    } catch {
        return error
    }
    throw PlugboardError("test", "The request succeeded.")
}

extension Kernel {
    /// Returns when the loops have done what they were asked before.
    func turn() async {
        for executor in executors { await Task(executorPreference: executor) {}.value }
    }
}

let anywhere = "http://origin.test/"
