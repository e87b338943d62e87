import PlugboardIndicatorOptions
import PlugboardKit
import Synchronization

/// Shows the requests under way on the terminal, and publishes what happens to them.
///
/// It only watches: requests and responses are never changed. A request is shown when it has taken longer than `delay`,
/// unless its response came without the network. Everything is drawn from one timer, which runs only while a request is
/// under way.
struct Indicator: Plugin {
    static let manifest = Manifest(
        id: "indicator", version: "1.0.0", documentation: "Shows the requests under way on the terminal.", priority: 20,
        hooks: [.request, .response, .event],
        events: ["created", "suspended", "resumed", "cancelled", "progress", "willComplete", "completed"],
        attributes: IndicatorAttributes.definitions)

    typealias Settings = IndicatorSettings

    private struct State {
        var requests: ActiveRequests
        var isShown = false
        var isTimerSet = false
        var drawings = 0
        var terminal: Terminal?
        /// The facts that were not published yet.
        var facts: [IndicatorFact] = []
        var isPublishing = false

        /// Adds a fact about a request.
        mutating func add(_ kind: IndicatorFact.Kind, _ row: ActiveRequests.Row, _ outcome: String? = nil) {
            var fact = IndicatorFact(
                kind, exchange: row.exchange, active: requests.count, message: row.message, isModal: row.isModal,
                control: row.control)
            if kind == .progress { fact.progress = row.progress }
            fact.outcome = outcome
            facts.append(fact)
        }

        /// The facts that the caller must publish now; none if another loop publishes, or if there are no more.
        mutating func takeFacts(_ isPublisher: inout Bool) -> [IndicatorFact] {
            guard isPublisher || !isPublishing else { return [] }
            isPublisher = !facts.isEmpty
            isPublishing = isPublisher
            defer { facts = [] }
            return facts
        }
    }

    private let settings: Settings
    private let host: PluginHost
    private let state: StateBox

    private final class StateBox: Sendable {
        let value: Mutex<State>
        init(_ state: State) { value = Mutex(state) }
    }

    /// Marks an exchange in its state: a sub-request of a plugin, or a request that was counted.
    private final class Mark {
        let isSubRequest: Bool
        init(isSubRequest: Bool) { self.isSubRequest = isSubRequest }
    }

    init(settings: Settings, host: PluginHost) throws {
        self.settings = settings
        self.host = host
        state = StateBox(State(requests: ActiveRequests(delay: settings.delay)))
    }

    func start() throws {
        guard settings.terminal != "off" else { return }
        let terminal = Terminal(settings.terminal.isEmpty ? "" : host.configuredPath(settings.terminal))
        state.value.withLock { $0.terminal = terminal }
    }

    func stop(within: Duration) async {
        state.value.withLock { state in
            if state.isShown { state.terminal?.draw([]) }
            state.terminal = nil
        }
    }

    // MARK: What happens to requests

    func onRequest(_ exchange: borrowing Exchange) throws -> RequestVerdict {
        // An outer plugin may send the request again.
        guard exchange.state == nil else { return .next }
        exchange.state = Mark(isSubRequest: false)
        let keys = IndicatorAttributes.keys
        let row = ActiveRequests.Row(
            exchange: exchange.id, message: exchange[keys.message] ?? settings.message,
            isModal: exchange[keys.modal] ?? false, control: exchange[keys.control], began: host.now)
        state.value.withLock { state in
            state.requests.begin(row)
            state.add(.willStart, row)
        }
        publish()
        setTimer()
        return .next
    }

    func onResponse(_ exchange: borrowing Exchange) throws -> ResponseVerdict {
        if exchange.attempt == 0 { change(exchange.id, nil) { $0.isStored = true } }
        return .next
    }

    func onEvent(_ event: borrowing Event, _ exchange: borrowing Exchange?) {
        switch exchange {
        case .some(let exchange):
            if event.is("created") {
                if event["by"] != nil { exchange.state = Mark(isSubRequest: true) }
                return
            }
            guard let mark = exchange.state as? Mark, !mark.isSubRequest else { return }
            if let progress = event.progress {
                change(exchange.id, .progress) { $0.progress = progress }
            } else if event.is("suspended") {
                change(exchange.id, .suspended) { $0.isSuspended = true }
            } else if event.is("resumed") {
                change(exchange.id, .resumed) { $0.isSuspended = false }
            } else if event.is("cancelled") {
                change(exchange.id, .cancelled) { _ in }
            } else if event.is("willComplete") {
                change(exchange.id, .willComplete) { _ in }
            } else {
                end(exchange.id, event["outcome"])
            }
        case .none: break
        }
    }

    private func change(_ exchange: UInt64, _ kind: IndicatorFact.Kind?, _ change: (inout ActiveRequests.Row) -> Void) {
        state.value.withLock { state in
            if let row = state.requests.change(exchange, change), let kind { state.add(kind, row) }
        }
        if kind != nil { publish() }
    }

    private func end(_ exchange: UInt64, _ outcome: String?) {
        let isLast = state.value.withLock { state in
            guard let row = state.requests.end(exchange) else { return false }
            state.add(.didComplete, row, outcome)
            // Other requests stay until the next drawing, so that many short requests do not draw more often.
            return state.requests.count == 0 && state.isShown
        }
        publish()
        if isLast { draw() }
    }

    /// Publishes the facts in order, without the lock. One loop at a time publishes, for all loops.
    private func publish() {
        var isPublisher = false
        while true {
            let facts = state.value.withLock { $0.takeFacts(&isPublisher) }
            if facts.isEmpty { return }
            for fact in facts { host.publish(fact.eventID, details: fact.details) }
        }
    }

    // MARK: Drawing

    /// Sets the timer for the next drawing, unless it is set or nothing is to be drawn.
    private func setTimer() {
        let wait: Duration? = state.value.withLock { state in
            guard !state.isTimerSet else { return nil }
            let isDrawing = state.isShown || state.terminal?.isBehind == true
            let wait = isDrawing ? settings.interval : state.requests.wait(at: host.now)
            state.isTimerSet = wait != nil
            return wait
        }
        guard let wait else { return }
        host.schedule(after: wait) {
            state.value.withLock { $0.isTimerSet = false }
            draw()
            setTimer()
        }
    }

    /// Draws the requests that are to be shown. [loop]
    private func draw() {
        let now = host.now
        state.value.withLock { state in
            let rows = state.requests.shown(at: now)
            let wasShown = state.isShown
            state.isShown = !rows.isEmpty
            if let terminal = state.terminal, wasShown || state.isShown {
                let frame = Frame(
                    rows: rows, limit: settings.rows, number: state.drawings, columns: terminal.columns)
                terminal.draw(frame.lines)
                state.drawings &+= 1
            } else {
                state.terminal?.flush()
            }
            guard wasShown != state.isShown else { return }
            state.facts.append(
                IndicatorFact(
                    state.isShown ? .shown : .hidden, exchange: 0, active: state.requests.count,
                    message: rows.first?.message ?? "", isModal: rows.contains(where: \.isModal)))
        }
        publish()
    }
}

/// The plugin's entry function, which the kernel calls whether the plugin is linked or loaded.
@c(indicator_LTX_plugboard_plugin)
public func indicatorPlugin() -> UnsafePointer<plug_plugin_v1> { Indicator.descriptor }
