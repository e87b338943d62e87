import CPlugboard
import PlugboardKit

/// A plugin that runs beside the plugin under check. It acts once, as the request's attribute `ID.does` says.
///
/// The outermost neighbour replaces and resends after the plugin has continued. The innermost neighbour
/// responds and fails in place of the network. In this way turns close in all five ways.
final class Neighbour: PluginInstance {
    enum Deed: String, WordOption, CaseIterable {
        case nothing, holdRequest, respond, failRequest, waitForWake, waitForDeadline, holdResponse, replace, resend,
            failResponse, wrapBody, edit
    }

    static let manifest = Manifest(id: "check-neighbour", version: "1.0.0", priority: 0, hooks: [])
    static let all = [Neighbour("check-outer", priority: 0), Neighbour("check-inner", priority: 999)]

    let id: String
    private let priority: Int
    let attribute: AttributeKey<Deed>

    init(_ id: String, priority: Int) {
        self.id = id
        self.priority = priority
        attribute = AttributeKey(id, "does", "What it does to this exchange.")
    }

    /// The plugin's entry in the configuration of one kernel.
    var entry: PluginEntry {
        let manifest = Manifest(
            id: id, version: "1.0.0", documentation: "Stands beside the plugin under check.", priority: priority,
            hooks: [.request, .response, .failure, .close, .event], attributes: [attribute.definition])
        return .linked(self, manifest: manifest)
    }

    func onRequest(_ exchange: borrowing Exchange) throws -> RequestVerdict {
        guard exchange.visit == .first, let deed = due(exchange) else { return .next }
        switch deed {
        case .holdRequest: return .hold(upTo: .kibibytes(1))
        case .respond: return .respond(ResponseHead(status: 203), .text("from a neighbour"))
        case .failRequest: return .fail(PlugboardError(.checkFailed, "A neighbour failed it."))
        case .waitForDeadline: return .wait(exchange.ticket(within: .milliseconds(50)))
        case .waitForWake:
            let ticket = exchange.ticket(within: .seconds(600))
            Task.detached { ticket.wake() }
            return .wait(ticket)
        case .edit:
            exchange.request["x-check-neighbour"] = id
            return .next
        case .wrapBody:
            exchange.wrapRequestBody { PassingSource($0) }
            return .next
        default:
            // Keeps the action for the response.
            exchange.state = nil
            return .next
        }
    }

    func onResponse(_ exchange: borrowing Exchange) throws -> ResponseVerdict {
        guard exchange.visit == .first, let deed = due(exchange) else { return .next }
        switch deed {
        case .holdResponse: return .hold(upTo: .kibibytes(1))
        case .replace: return .respond(ResponseHead(status: 299), .text("in its place"))
        case .resend where exchange.canResend: return .resend(after: .milliseconds(10))
        case .failResponse: return .fail(PlugboardError(.checkFailed, "A neighbour failed it."))
        case .wrapBody:
            exchange.wrapResponseBody { PassingSource($0) }
            return .next
        default: return .next
        }
    }

    func onFailure(_ exchange: borrowing Exchange) throws -> FailureVerdict {
        guard exchange.visit == .first, let deed = due(exchange) else { return .next }
        switch deed {
        case .replace: return .respond(ResponseHead(status: 298), .text("in its place"))
        case .resend where exchange.canResend: return .resend()
        case .failResponse: return .fail(PlugboardError(.checkFailed, "A neighbour failed it again."))
        default: return .next
        }
    }

    /// The action for this exchange; nil once it is done.
    private func due(_ exchange: borrowing Exchange) -> Deed? {
        guard exchange.state == nil, let deed = exchange[attribute], deed != .nothing else { return nil }
        exchange.state = Done()
        return deed
    }

    private final class Done {}
}

/// A body that passes unchanged.
///
/// Sendable because it is used on the loop only.
private final class PassingSource: BodySource, @unchecked Sendable {
    private let inner: InnerBody

    init(_ inner: InnerBody) { self.inner = inner }

    var length: Int? { inner.length }
    var canRewind: Bool { inner.canRewind }
    func pull(_ pull: Pull) { inner.forward(pull) }
    func rewind() -> Bool { inner.rewind() }
    func release() { inner.release() }
}
