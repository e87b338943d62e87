import PlugboardKit
import Synchronization

/// Sub-requests: one request for a token, however many exchanges wait for it.
final class SharedToken: Plugin {
    static let manifest = Manifest(
        id: "com.example.shared-token", version: "1.0.0", documentation: "Fetches a token for all requests.",
        priority: 450, hooks: [.request, .response])

    struct Settings: PluginSettings {
        @Setting("The URL that returns a token for a POST.", isRequired: true) var url = ""
        @Setting("How long a request waits for a token.") var patience = Duration.seconds(30)
    }

    private struct State {
        var token: String?
        var failure: PlugboardError?
        var isFetching = false
        var waiting: [Ticket] = []
    }
    private let state = Mutex(State())
    private let settings: Settings
    private let host: PluginHost

    init(settings: Settings, host: PluginHost) {
        self.settings = settings
        self.host = host
    }

    func onRequest(_ exchange: borrowing Exchange) -> RequestVerdict {
        switch step(exchange) {
        case .go(let token):
            authorize(exchange, token)
            return .next
        case .wait(let ticket): return .wait(ticket)
        case .fail(let error): return .fail(error)
        }
    }

    /// Fetches another token if this one is refused, once for each exchange.
    func onResponse(_ exchange: borrowing Exchange) -> ResponseVerdict {
        guard exchange.response?.status == 401, exchange.canResend else { return .next }
        if exchange.visit == .first {
            let memory = memory(of: exchange)
            if memory.isRenewed { return .next }
            memory.isRenewed = true
            forget(exchange.request[.authorization])
        }
        switch step(exchange) {
        case .go(let token):
            // A resend begins just inside this plugin, so `onRequest` is not called.
            authorize(exchange, token)
            return .resend()
        case .wait(let ticket): return .wait(ticket)
        case .fail(let error): return .fail(error)
        }
    }

    /// The state of an exchange between visits.
    private final class Memory {
        var isRenewed = false
        var giveUp = Duration.zero
    }

    private func memory(of exchange: borrowing Exchange) -> Memory {
        if let memory = exchange.state as? Memory { return memory }
        let memory = Memory()
        exchange.state = memory
        return memory
    }

    /// The remaining time. With the whole time at each wake, the deadline would move and never pass.
    private func rest(of exchange: borrowing Exchange) -> Duration {
        let memory = memory(of: exchange)
        if exchange.visit == .first { memory.giveUp = host.now + settings.patience }
        return max(memory.giveUp - host.now, .zero)
    }

    private enum Step {
        case go(String)
        case wait(Ticket)
        case fail(PlugboardError)
    }

    /// The token, or a ticket in the queue for it. The first exchange in the queue fetches the token.
    private func step(_ exchange: borrowing Exchange) -> Step {
        let (known, failure) = state.withLock { ($0.token, $0.failure) }
        if let known { return .go(known) }
        if exchange.visit == .deadline { return .fail(SharedToken.late) }
        if exchange.visit == .woken, let failure { return .fail(failure) }
        let ticket = exchange.ticket(within: rest(of: exchange))
        let (token, isFirst) = state.withLock { state in
            if let token = state.token { return (token as String?, false) }
            state.waiting.append(ticket)
            defer { state.isFetching = true }
            return (nil, !state.isFetching)
        }
        if isFirst { fetch() }
        return token.map { .go($0) } ?? .wait(ticket)
    }

    private func authorize(_ exchange: borrowing Exchange, _ token: String) {
        exchange.request[.authorization] = "Bearer \(token)"
        exchange.request.markSecret(.authorization)
    }

    /// Forgets the token, unless another exchange has replaced it already.
    private func forget(_ refused: String?) {
        state.withLock { state in
            if let token = state.token, refused == "Bearer \(token)" { state.token = nil }
        }
    }

    /// Detached, because all exchanges wait for the result: it must not be cancelled with the first exchange.
    private func fetch() {
        host.send(Request(.post, settings.url), for: nil, isDetached: true) { [self] result in
            switch result {
            case .failure(let error): finish(.failure(error))
            case .success(let response):
                guard response.head.status == 200 else { return finish(.failure(SharedToken.refused)) }
                response.collect(upTo: .kibibytes(16)) { self.finish($0.map(\.text)) }
            }
        }
    }

    private func finish(_ result: Result<String, PlugboardError>) {
        let waiting = state.withLock { state in
            defer { (state.waiting, state.isFetching) = ([], false) }
            switch result {
            case .success(let token): (state.token, state.failure) = (token, nil)
            case .failure(let error): (state.token, state.failure) = (nil, error)
            }
            return state.waiting
        }
        for ticket in waiting { ticket.wake() }
    }

    private static let late = PlugboardError(
        "com.example.shared-token.late", "No token came in time. Look at the server of tokens, or raise patience.")
    private static let refused = PlugboardError(
        "com.example.shared-token.refused", "The server of tokens gave none. Look at its log.")
}
